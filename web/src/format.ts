/** Numbers for people. Arguments are bit/s and seconds; null means not known. */

const kUnknown = "–";
const kThinSpace = "\u202f"; // narrow and non-breaking

function digits(value: number): number {
  const size = Math.abs(value);
  return size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

/** "4.10 Mbit/s" */
export function rate(bps: number | null | undefined): string {
  if (bps == null) return kUnknown;
  return bps >= 1e6 || bps === 0
    ? `${megabits(bps)}${kThinSpace}Mbit/s`
    : `${(bps / 1e3).toFixed(0)}${kThinSpace}kbit/s`;
}

/** "4.10", for a column in Mbit/s */
export function megabits(bps: number | null | undefined): string {
  if (bps == null) return kUnknown;
  return (bps / 1e6).toFixed(digits(bps / 1e6));
}

/** "41 ms", "1.2 s" */
export function time(seconds: number | null | undefined): string {
  if (seconds == null) return kUnknown;
  if (seconds < 0.001 && seconds > 0) return `${(seconds * 1e3).toFixed(2)}${kThinSpace}ms`;
  if (Math.abs(seconds) < 1) return `${(seconds * 1e3).toFixed(0)}${kThinSpace}ms`;
  return `${seconds.toFixed(digits(seconds))}${kThinSpace}s`;
}

/** "12 s", "4:07", "3:04:07" */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}${kThinSpace}s`;
  const pad = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

export function count(value: number | null | undefined): string {
  return value == null ? kUnknown : value.toLocaleString("en");
}

export function size(width: number | null, height: number | null): string {
  return width && height ? `${width}${kThinSpace}×${kThinSpace}${height}` : kUnknown;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

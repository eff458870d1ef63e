import type { ServerClock } from "../api/server_clock";

const kWeight = 0.15; // of a new picture: smooths over the display's refresh
const kStale = 500; // ms without a new picture: its age counts

/** How long ago the picture on the screen left the source, by the server's clock. */
export class Latency {
  private smooth: number | undefined;
  private mediaTime = 0;
  private shown = -Infinity; // performance.now()

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly clock: ServerClock,
    private readonly zero: () => number | undefined,
  ) {
    if ("requestVideoFrameCallback" in video) this.watch();
    else setInterval(() => this.see(performance.now(), this.video.currentTime), 100);
  }

  /** Seconds; undefined: not known. */
  seconds(): number | undefined {
    const now = performance.now();
    if (now - this.shown > kStale) return this.age(now);
    return this.smooth;
  }

  /** Another connection: what was seen does not count. */
  reset(): void {
    this.smooth = undefined;
    this.shown = -Infinity;
  }

  private watch(): void {
    this.video.requestVideoFrameCallback((_now, frame) => {
      this.see(frame.expectedDisplayTime, frame.mediaTime);
      this.watch();
    });
  }

  private see(moment: number, mediaTime: number): void {
    this.shown = moment;
    this.mediaTime = mediaTime;
    const age = this.age(moment);
    if (age === undefined) return;
    this.smooth = this.smooth === undefined ? age : this.smooth + kWeight * (age - this.smooth);
  }

  private age(moment: number): number | undefined {
    const now = this.clock.at(moment);
    const zero = this.zero();
    if (now === undefined || zero === undefined || this.shown === -Infinity) return undefined;
    return (now - zero) / 1000 - this.mediaTime;
  }
}

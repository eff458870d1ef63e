// Reads the code that the test source draws into its pictures (transcoder::TestCode), on the screen.

/** By how much CLOCK_MONOTONIC is ahead of the page's performance.now(), ms. The shortest of ten round
 * trips bounds the error. */
export async function clockAhead(page) {
  let best = { trip: Infinity, ahead: 0 };
  for (let i = 0; i < 10; ++i) {
    const asked = monotonic();
    const there = await page.evaluate(() => performance.now());
    const trip = monotonic() - asked;
    if (trip < best.trip) best = { trip, ahead: asked + trip / 2 - there };
  }
  return best.ahead;
}

function monotonic() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** In the page, before anything else: defines `capturedAt(video, frame)`, the capture time of the
 * picture shown (CLOCK_MONOTONIC, ms), or null if its code cannot be read. */
export function installReader() {
  const kColumns = 48;
  const kRows = 2;
  const kCell = 4; // pixels of a code block, on the canvas used here
  const kShare = 12; // the code takes one twelfth of the height
  const canvas = document.createElement("canvas");
  canvas.width = kColumns * kCell;
  canvas.height = kRows * kCell;
  const context = canvas.getContext("2d", { willReadFrequently: true });

  const readBits = (video, { width, height }) => {
    const strip = Math.floor(height / kShare);
    context.drawImage(
      video, 0, height - strip, width, strip, 0, 0, canvas.width, canvas.height,
    );
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: kRows * kColumns }, (_, i) => {
      const x = ((i % kColumns) + 0.5) * kCell;
      const y = (Math.floor(i / kColumns) + 0.5) * kCell;
      return data[4 * (y * canvas.width + x)] > 128 ? 1 : 0;
    });
  };
  const number = (bits) => bits.reduce((value, bit) => value * 2 + bit, 0);
  const checksum = (bits) =>
    bits.reduce((crc, bit) => {
      const next = (crc << 1) & 0xffff;
      return ((crc >> 15) & 1) === bit ? next : next ^ 0x1021;
    }, 0xffff);

  window.capturedAt = (video, frame) => {
    const bits = readBits(video, frame);
    const valid = checksum(bits.slice(0, 80)) === number(bits.slice(80));
    return valid ? number(bits.slice(32, 80)) : null;
  };
}

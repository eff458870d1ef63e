// The code in the pictures of the test source (transcoder::TestCode), read where they are shown.

/** How far CLOCK_MONOTONIC is ahead of the page's performance.now(), ms; the least of ten round trips
 * bounds the error. */
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

/** In the page: when the next picture was captured (CLOCK_MONOTONIC, ms; null: it cannot be read), and
 * when it is shown (performance.now()). */
export function readCode() {
  const kColumns = 48;
  const kShare = 12; // of the height
  const video = document.querySelector("video");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });

  const bitsOf = (width, height) => {
    const top = height - Math.floor(height / kShare);
    return Array.from({ length: 2 * kColumns }, (_, i) => {
      const x = (width * ((i % kColumns) + 0.5)) / kColumns;
      const y = top + ((height - top) * (Math.floor(i / kColumns) + 0.5)) / 2;
      return context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data[1] > 128 ? 1 : 0;
    });
  };
  const number = (bits) => bits.reduce((value, bit) => value * 2 + bit, 0);
  const checksum = (bits) =>
    bits.reduce((crc, bit) => {
      const next = (crc << 1) & 0xffff;
      return ((crc >> 15) & 1) === bit ? next : next ^ 0x1021;
    }, 0xffff);

  return new Promise((resolve) => {
    video.requestVideoFrameCallback((_now, { expectedDisplayTime: shown, width, height }) => {
      canvas.width = width;
      canvas.height = height;
      context.drawImage(video, 0, 0);
      const bits = bitsOf(width, height);
      const valid = checksum(bits.slice(0, 80)) === number(bits.slice(80));
      resolve({ captured: valid ? number(bits.slice(32, 80)) : null, shown });
    });
  });
}

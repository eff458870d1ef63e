// Records every picture that a page shows, when, and how old it was.
import { clockAhead } from "./picture.mjs";

/** In the page: records each picture from now on. `told` is the delay that the page displays, seconds. */
function start() {
  const kCodeEvery = 200; // ms: drawing and reading a picture takes time
  const video = document.querySelector("video");
  const pictures = [];
  let read = -Infinity;
  let seeks = 0; // before each picture
  video.addEventListener("seeking", () => ++seeks);
  const note = (_now, frame) => {
    if (window.recorded.pictures !== pictures) return; // another recording has begun
    const { expectedDisplayTime: shown, mediaTime, presentedFrames, width, height } = frame;
    const reads = shown - read > kCodeEvery;
    if (reads) read = shown;
    const captured = reads ? window.capturedAt(video, frame) : null;
    const told = Number.parseFloat(document.getElementById("latency")?.textContent);
    const size = `${width}x${height}`;
    pictures.push({ shown, mediaTime, count: presentedFrames, size, captured, told, seeks });
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  window.recorded = { pictures, dropped: video.getVideoPlaybackQuality().droppedVideoFrames };
}

/** In the page: the recording until now. */
function copy() {
  const video = document.querySelector("video");
  const { buffered } = video;
  const { pictures, dropped } = window.recorded;
  return {
    pictures,
    ended: performance.now(),
    dropped: video.getVideoPlaybackQuality().droppedVideoFrames - dropped,
    ranges: Array.from({ length: buffered.length }, (_, i) => [buffered.start(i), buffered.end(i)]),
    player: window.noted ?? null,
  };
}

/** Records every picture from now on. */
export async function record(page) {
  await page.evaluate(start);
}

/** The recording until now; times are CLOCK_MONOTONIC seconds. `player` is what the player reported. */
export async function recorded(page) {
  const seen = await page.evaluate(copy);
  const ahead = await clockAhead(page);
  const monotonic = (moment) => (moment + ahead) / 1000;
  const pictures = seen.pictures.map(({ shown, captured, ...rest }) => ({
    ...rest, shown: monotonic(shown), captured: captured === null ? null : captured / 1000,
  }));
  const notes = (seen.player?.notes ?? []).map((note) => ({ ...note, at: monotonic(note.at) }));
  return { ...seen, pictures, ended: monotonic(seen.ended), player: { ...seen.player, notes } };
}

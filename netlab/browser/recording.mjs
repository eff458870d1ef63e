// Records every picture that a page shows, when, and how old it was.
import { clockAhead } from "./picture.mjs";

/** In the page: records each picture from now on. */
function start() {
  const kCodeEvery = 200; // ms: drawing and reading a picture takes time
  const video = document.querySelector("video");
  const pictures = [];
  let read = -Infinity;
  const note = (_now, frame) => {
    const { expectedDisplayTime: shown, mediaTime, presentedFrames, width, height } = frame;
    const reads = shown - read > kCodeEvery;
    if (reads) read = shown;
    const captured = reads ? window.capturedAt(video, frame) : null;
    pictures.push({ shown, mediaTime, count: presentedFrames, size: `${width}x${height}`, captured });
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  window.recorded = { pictures, dropped: video.getVideoPlaybackQuality().droppedVideoFrames };
}

/** In the page: the recording. */
function end() {
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

/** Records for `seconds`; times are CLOCK_MONOTONIC seconds. `player` is what the player reported. */
export async function record(page, { seconds }) {
  await page.evaluate(start);
  await page.waitForTimeout(seconds * 1000);
  const seen = await page.evaluate(end);
  const ahead = await clockAhead(page);
  const monotonic = (moment) => (moment + ahead) / 1000;
  const pictures = seen.pictures.map(({ shown, captured, ...rest }) => ({
    ...rest, shown: monotonic(shown), captured: captured === null ? null : captured / 1000,
  }));
  const notes = (seen.player?.notes ?? []).map((note) => ({ ...note, at: monotonic(note.at) }));
  return { ...seen, pictures, ended: monotonic(seen.ended), player: { ...seen.player, notes } };
}

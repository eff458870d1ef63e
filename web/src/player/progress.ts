const kTick = 500; // ms
const kLongest = 8000; // longer than any stall of the stream itself: its source repeats pictures

/** Rejects when the picture has not moved for long, though it should. */
export function progressOf(video: HTMLVideoElement, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    let at = video.currentTime;
    let moved = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (video.currentTime !== at || video.paused || document.hidden) {
        at = video.currentTime;
        moved = now;
      } else if (now - moved > kLongest) {
        reject(new Error("the picture has stopped"));
      }
    }, kTick);
    signal.addEventListener("abort", () => clearInterval(timer));
  });
}

const kCheckInterval = 500; // ms
const kMaxStandstill = 8000; // ms: longer than any pause of a stream, which repeats frames

/** Rejects when playback stands still although the video is not paused. */
export function rejectOnStandstill(video: HTMLVideoElement, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    let position = video.currentTime;
    let moved = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (video.currentTime !== position || video.paused || document.hidden) {
        position = video.currentTime;
        moved = now;
      } else if (now - moved > kMaxStandstill) {
        reject(new Error("playback has stalled"));
      }
    }, kCheckInterval);
    signal.addEventListener("abort", () => clearInterval(timer));
  });
}

const kFirstDelay = 250; // ms: a restarted server has its viewers back within half a second
const kMaxDelay = 5000; // ms
const kStableAfter = 5000; // ms: an attempt that lasted longer resets the delay

/** The wait before the next attempt: it doubles, with a random part, so that the viewers of a
 * restarted server do not all return at once. */
export class Backoff {
  private failures = 0;

  /** Milliseconds to wait; `lasted`: milliseconds that the failed attempt lasted. */
  next(lasted: number): number {
    if (lasted > kStableAfter) this.failures = 0;
    const longest = Math.min(kMaxDelay, kFirstDelay * 2 ** this.failures++);
    return longest * (0.5 + Math.random() / 2);
  }
}

/** Rejects with the signal's reason when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

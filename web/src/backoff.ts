const kFirst = 250; // ms: a restarted server is back within half a second
const kLast = 5000;
const kSettled = 5000; // what has lasted so long begins anew

/** How long to wait before the next attempt: doubles, with a random part, so that a restarted server
 * does not meet all its viewers at once. */
export class Backoff {
  private failures = 0;

  /** Milliseconds; `lasted`: of the attempt that has just failed. */
  next(lasted: number): number {
    if (lasted > kSettled) this.failures = 0;
    const most = Math.min(kLast, kFirst * 2 ** this.failures++);
    return most * (0.5 + Math.random() / 2);
  }
}

/** Rejects with the signal's reason when it is aborted. */
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

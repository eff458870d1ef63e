import type { Stream } from "../api/types";

export interface Source {
  video: HTMLVideoElement;
  stream: Stream;
  url: string;
  /** Round trip to the server in seconds; 0 until it is known. */
  roundTrip: () => number;
}

/** Plays one stream over one connection; each new connection needs a new engine. */
export abstract class StreamEngine {
  protected readonly halted = new AbortController();
  protected bytes = 0;

  constructor(readonly source: Source) {}

  /** Plays until the stream ends (resolves) or fails (rejects with the reason). */
  async run(): Promise<void> {
    const { signal } = this.halted;
    try {
      await Promise.race([
        this.play(),
        failureOf(this.source.video, signal),
        rejectOnAbort(signal),
      ]);
    } finally {
      this.halt();
    }
  }

  /** Wall time of the element's media time 0, ms since 1970; undefined until it is known. */
  abstract mediaEpoch(): number | undefined;

  /** Bytes of media so far; undefined if the browser does not report them. */
  received(): number | undefined {
    return this.bytes;
  }

  /** Ends run(): nothing more is loaded, and the last picture stays. */
  halt(): void {
    this.halted.abort();
  }

  /** Releases the element; called after halt(). */
  close(): void {
    this.source.video.removeAttribute("src");
  }

  protected abstract play(): Promise<void>;
}

/** An error that a retry will not fix; its message is for users. */
export class Unplayable extends Error {}

/** Event of the element: the browser allows playback only after a user gesture. */
export const kPlayRefused = "playrefused";

export function play(video: HTMLVideoElement): void {
  video.play().catch((error: unknown) => {
    if ((error as Error).name === "NotAllowedError") video.dispatchEvent(new Event(kPlayRefused));
  });
}

/** Rejects with the element's message when the element fails. */
function failureOf(video: HTMLVideoElement, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error(video.error?.message || "the video cannot be decoded"));
    video.addEventListener("error", fail, { signal });
  });
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("halted")));
  });
}

/** Wall time of pts 0, ms since 1970. */
export function streamEpoch(stream: Stream): number {
  return Date.parse(stream.began);
}

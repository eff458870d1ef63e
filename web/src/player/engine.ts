import type { Stream } from "../api/types";

/** One way to play one stream, once: a new connection is a new engine. */
export interface Engine {
  /** Plays until the stream ends (resolves), or fails (rejects with why). */
  run(): Promise<void>;
  /** Wall time of the element's media time 0, ms since 1970; undefined: not known. */
  zero(): number | undefined;
  /** Bytes of media so far; undefined: the browser does not tell. */
  received(): number | undefined;
  /** Ends run(): nothing more is loaded; the last picture stays. */
  halt(): void;
  /** Lets go of the element; after halt(). */
  close(): void;
}

export interface Source {
  video: HTMLVideoElement;
  stream: Stream;
  url: string;
  /** Seconds of the path to the server; 0: not known yet. */
  roundTrip: () => number;
}

/** Not worth trying again soon, with words for people. */
export class Unplayable extends Error {}

/** An event of the element: the browser wants a gesture first. */
export const kRefused = "refused";

export function play(video: HTMLVideoElement): void {
  video.play().catch((error: unknown) => {
    if ((error as Error).name === "NotAllowedError") video.dispatchEvent(new Event(kRefused));
  });
}

/** Rejects when the element fails, with its words. */
function failureOf(video: HTMLVideoElement, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new Error(video.error?.message || "the picture cannot be decoded"));
    video.addEventListener("error", fail, { signal });
  });
}

/** Rejects when the signal is aborted. */
function haltOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("halted")));
  });
}

/** `playing`, unless the element fails or the engine is halted first. */
export function unlessOver(
  playing: Promise<void>,
  video: HTMLVideoElement,
  halted: AbortSignal,
): Promise<void> {
  return Promise.race([playing, failureOf(video, halted), haltOf(halted)]);
}

/** Wall time of pts 0. */
export function began(stream: Stream): number {
  return Date.parse(stream.began);
}

import { fetchStreams } from "../api/streams";
import type { Stream } from "../api/types";
import { Backoff, sleep } from "../backoff";
import { type Delivery, open, playable } from "./delivery";
import { type Engine, kRefused, Unplayable } from "./engine";
import { progressOf } from "./progress";

/** connecting → playing → waiting → connecting ...; paused: by the user; away: nobody looks. */
export type Phase = "connecting" | "playing" | "waiting" | "paused" | "away" | "unplayable";

export interface PlayerState {
  phase: Phase;
  /** Why it waits, or cannot be played. */
  reason: string;
}

function wordsFor(error: unknown): string {
  const offline = error instanceof TypeError || (error as Error).name === "TimeoutError";
  return offline ? "the server cannot be reached" : (error as Error).message;
}

/** Plays one stream for as long as it is wanted, over as many connections as that takes. */
export class Player {
  engine: Engine | undefined;
  hasSound = true; // the stream
  asked = 0; // performance.now(), when the present connection was asked for
  private running: AbortController | undefined;
  private state: PlayerState = { phase: "connecting", reason: "" };
  private stream = "";
  private delivery: Delivery = "mp4";

  constructor(
    readonly video: HTMLVideoElement,
    private readonly roundTrip: () => number,
    private readonly changed: (state: PlayerState) => void,
    private readonly leaving: () => void,
  ) {
    video.addEventListener("playing", () => this.running && this.set("playing"));
    video.addEventListener("pause", () => this.phase === "playing" && this.wasPaused());
    video.addEventListener(kRefused, () => this.wasPaused());
  }

  choose(stream: string, delivery: Delivery): void {
    this.stream = stream;
    this.delivery = delivery;
    this.state.reason = "";
    this.start();
  }

  get chosen(): { stream: string; delivery: Delivery } {
    return { stream: this.stream, delivery: this.delivery };
  }

  get phase(): Phase {
    return this.state.phase;
  }

  /** Live from now on, whatever it was doing. */
  start(): void {
    this.stop();
    this.running = new AbortController();
    void this.loop(this.running.signal);
  }

  pause(phase: "paused" | "away" = "paused"): void {
    this.stop();
    this.video.pause();
    this.set(phase);
  }

  /** Not by this page: by a media key, the window of picture in picture, or the browser, which does so
   * behind another tab, too. */
  private wasPaused(): void {
    if (this.running && !this.video.ended) this.pause(document.hidden ? "away" : "paused");
  }

  private stop(): void {
    this.running?.abort();
    this.running = undefined;
    this.engine?.halt();
  }

  private async loop(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      const began = performance.now();
      try {
        this.set("connecting", this.state.reason);
        await this.connect(signal);
        this.set("waiting", "the stream has ended");
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Unplayable) return this.set("unplayable", error.message);
        this.set("waiting", wordsFor(error));
      }
      await sleep(backoff.next(performance.now() - began), signal).catch(() => undefined);
    }
  }

  /** One connection, to its end. */
  private async connect(signal: AbortSignal): Promise<void> {
    const stream = await this.find();
    const engine = await open(this.delivery, this.video, stream, this.roundTrip);
    signal.throwIfAborted();
    this.leaving();
    this.engine?.close();
    this.engine = engine;
    this.hasSound = stream.audio_codec !== null;
    this.asked = performance.now();
    const over = new AbortController();
    try {
      await Promise.race([engine.run(), progressOf(this.video, over.signal)]);
    } finally {
      over.abort();
      engine.halt();
    }
  }

  private async find(): Promise<Stream> {
    const { streams } = await fetchStreams();
    const stream = streams.find(({ name }) => name === this.stream);
    if (!stream) throw new Error(`there is no stream ${this.stream}`);
    if (playable(stream).length === 0) {
      throw new Unplayable("browsers do not play MPEG-2 pictures: open /" + stream.name + ".ts elsewhere");
    }
    return stream;
  }

  private set(phase: Phase, reason = ""): void {
    this.state = { phase, reason };
    this.changed(this.state);
  }
}

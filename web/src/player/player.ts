import { fetchStreams } from "../api/streams";
import type { Stream } from "../api/types";
import { Backoff, sleep } from "../backoff";
import { addressOf, type Delivery, open, playable } from "./delivery";
import { kPlayRefused, type StreamEngine, Unplayable } from "./engine";
import { rejectOnStandstill } from "./progress";

/** connecting → playing → waiting → connecting ...
 * The user can set paused; a hidden tab leads to suspended. */
export type Phase = "connecting" | "playing" | "waiting" | "paused" | "suspended" | "unplayable";

export interface PlayerState {
  phase: Phase;
  /** Why the player waits or cannot play; empty if there is nothing to say. */
  reason: string;
}

export function describeError(error: unknown): string {
  const offline = error instanceof TypeError || (error as Error).name === "TimeoutError";
  return offline ? "server unreachable" : (error as Error).message;
}

/** Plays the chosen stream and reconnects whenever a connection ends. */
export class Player {
  engine: StreamEngine | undefined;
  hasAudio = true; // whether the stream has audio
  requestedAt = 0; // performance.now() when the current connection was requested
  private running: AbortController | undefined;
  private state: PlayerState = { phase: "connecting", reason: "" };
  private stream = "";
  private shown = ""; // the stream of the picture on the screen; empty before the first
  private delivery: Delivery = "mp4";

  constructor(
    readonly video: HTMLVideoElement,
    private readonly roundTrip: () => number,
    private readonly onChange: (state: PlayerState) => void,
    private readonly onReconnect: () => void,
  ) {
    video.addEventListener("playing", () => {
      if (!this.running) return;
      this.shown = this.stream;
      this.set("playing");
    });
    video.addEventListener("pause", () => this.phase === "playing" && this.onPausedByBrowser());
    video.addEventListener(kPlayRefused, () => this.onPausedByBrowser());
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

  /** Whether the picture on the screen is of another stream than the chosen one. */
  get foreign(): boolean {
    return this.shown !== "" && this.shown !== this.stream;
  }

  get phase(): Phase {
    return this.state.phase;
  }

  /** Plays from the live edge, whatever the current phase is. */
  start(): void {
    this.stop();
    this.running = new AbortController();
    void this.loop(this.running.signal);
  }

  /** Ends playing, because there is no stream called `stream`. */
  reject(stream: string): void {
    this.stream = stream;
    this.stop();
    this.set("unplayable", `there is no stream named ${stream}`);
  }

  pause(phase: "paused" | "suspended" = "paused"): void {
    this.stop();
    this.video.pause();
    this.set(phase);
  }

  /** A media key, picture in picture, or the browser (in a hidden tab) paused the video. */
  private onPausedByBrowser(): void {
    if (this.running && !this.video.ended) this.pause(document.hidden ? "suspended" : "paused");
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
        this.set("waiting", describeError(error));
      }
      await sleep(backoff.next(performance.now() - began), signal).catch(() => undefined);
    }
  }

  /** Plays over one connection until it ends. */
  private async connect(signal: AbortSignal): Promise<void> {
    const stream = await this.findStream();
    const engine = await open(this.delivery, this.video, stream, this.roundTrip);
    signal.throwIfAborted();
    this.onReconnect();
    this.engine?.close();
    this.engine = engine;
    this.hasAudio = stream.audio_codec !== null;
    this.requestedAt = performance.now();
    const ended = new AbortController();
    try {
      await Promise.race([engine.run(), rejectOnStandstill(this.video, ended.signal)]);
    } finally {
      ended.abort();
      engine.halt();
    }
  }

  private async findStream(): Promise<Stream> {
    const { streams } = await fetchStreams();
    const stream = streams.find(({ name }) => name === this.stream);
    if (!stream) throw new Error(`there is no stream named ${this.stream}`);
    if (playable(stream).length === 0) {
      const url = new URL(addressOf(stream.name, "ts"), location.href).href;
      throw new Unplayable(`browsers do not support MPEG-2; open ${url} in another player`);
    }
    return stream;
  }

  private set(phase: Phase, reason = ""): void {
    this.state = { phase, reason };
    this.onChange(this.state);
  }
}

import mpegts from "mpegts.js";
import { began, type Engine, type Source, unlessOver, Unplayable } from "./engine";
import { LiveEdge } from "./live_edge";
import { loaderFor } from "./streaming_loader";
import { firstTimestamp, unwrapped } from "./timestamps";

const kKept = 10; // seconds behind the picture shown
const kTrimmed = 20;

mpegts.LoggingControl.applyConfig({ enableAll: false });

/** /NAME.flv, which mpegts.js makes fragments of MP4 of. */
export class Remuxed implements Engine {
  private readonly over = new AbortController();
  private readonly edge: LiveEdge;
  private player: mpegts.Player | undefined;
  private head = new Uint8Array();
  private first: number | undefined;
  private bytes = 0;

  constructor(private readonly source: Source) {
    this.edge = new LiveEdge(source);
  }

  async run(): Promise<void> {
    if (!mpegts.isSupported()) throw new Unplayable("this browser lacks Media Source Extensions");
    this.edge.start();
    try {
      await unlessOver(this.play(), this.source.video, this.over.signal);
    } finally {
      this.halt();
    }
  }

  zero(): number | undefined {
    if (this.first === undefined) return undefined;
    const begin = began(this.source.stream);
    const age = (Date.now() - begin) / 1000;
    return begin + unwrapped(this.first, age) * 1000;
  }

  received(): number {
    return this.bytes;
  }

  halt(): void {
    this.edge.stop();
    this.over.abort();
  }

  close(): void {
    this.player?.destroy();
    this.player = undefined;
  }

  private play(): Promise<never> {
    return new Promise((_, reject) => {
      this.player = mpegts.createPlayer(
        { type: "flv", isLive: true, url: new URL(this.source.url, location.href).href },
        {
          customLoader: this.loader(reject),
          enableStashBuffer: false,
          lazyLoad: false,
          autoCleanupSourceBuffer: true,
          autoCleanupMaxBackwardDuration: kTrimmed,
          autoCleanupMinBackwardDuration: kKept,
        },
      );
      this.player.on(mpegts.Events.ERROR, (_type: string, detail: string, info?: { msg?: string }) =>
        reject(new Error(info?.msg || detail)),
      );
      this.player.attachMediaElement(this.source.video);
      this.player.load();
    });
  }

  private loader(failed: (error: Error) => void): mpegts.CustomLoaderConstructor {
    const received = (bytes: Uint8Array) => this.sniff(bytes);
    return loaderFor({ received, failed, signal: this.over.signal }) as mpegts.CustomLoaderConstructor;
  }

  private sniff(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.first !== undefined) return;
    const both = new Uint8Array(this.head.length + bytes.length);
    both.set(this.head);
    both.set(bytes, this.head.length);
    this.head = both;
    this.first = firstTimestamp(both, this.source.stream.audio_codec !== null);
  }
}

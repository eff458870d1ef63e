import mpegts from "mpegts.js";
import { StreamEngine, streamEpoch, Unplayable } from "./engine";
import { LiveEdge } from "./live_edge";
import { loaderFor } from "./streaming_loader";
import { firstTimestamp, unwrapped } from "./timestamps";

const kKeptBehind = 10; // seconds behind the playhead
const kTrimBehind = 20; // seconds behind the playhead: more is trimmed to kKeptBehind

mpegts.LoggingControl.applyConfig({ enableAll: false });

/** /NAME.flv, which mpegts.js remuxes into fragmented MP4. */
export class Remuxed extends StreamEngine {
  private readonly edge = new LiveEdge(this.source);
  private player: mpegts.Player | undefined;
  private head = new Uint8Array();
  private firstTimestamp: number | undefined;

  mediaEpoch(): number | undefined {
    if (this.firstTimestamp === undefined) return undefined;
    const epoch = streamEpoch(this.source.stream);
    const age = (Date.now() - epoch) / 1000;
    return epoch + unwrapped(this.firstTimestamp, age) * 1000;
  }

  override halt(): void {
    this.edge.stop();
    super.halt();
  }

  override close(): void {
    this.player?.destroy();
    this.player = undefined;
  }

  protected async play(): Promise<never> {
    if (!mpegts.isSupported()) throw new Unplayable("this browser has no Media Source Extensions");
    this.edge.start();
    return new Promise((_, reject) => {
      this.player = mpegts.createPlayer(
        { type: "flv", isLive: true, url: new URL(this.source.url, location.href).href },
        {
          customLoader: this.loader(reject),
          enableStashBuffer: false,
          lazyLoad: false,
          autoCleanupSourceBuffer: true,
          autoCleanupMaxBackwardDuration: kTrimBehind,
          autoCleanupMinBackwardDuration: kKeptBehind,
        },
      );
      const fail = (_type: string, detail: string, info?: { msg?: string }) =>
        reject(new Error(info?.msg || detail));
      this.player.on(mpegts.Events.ERROR, fail);
      this.player.attachMediaElement(this.source.video);
      this.player.load();
    });
  }

  private loader(failed: (error: Error) => void): mpegts.CustomLoaderConstructor {
    const received = (bytes: Uint8Array) => this.inspect(bytes);
    const { signal } = this.halted;
    return loaderFor({ received, failed, signal }) as mpegts.CustomLoaderConstructor;
  }

  private inspect(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.firstTimestamp !== undefined) return;
    const both = new Uint8Array(this.head.length + bytes.length);
    both.set(this.head);
    both.set(bytes, this.head.length);
    this.head = both;
    this.firstTimestamp = firstTimestamp(both, this.source.stream.audio_codec !== null);
  }
}

import { Appender } from "./appender";
import { StreamEngine, streamEpoch, Unplayable } from "./engine";
import { LiveEdge } from "./live_edge";
import { codecs } from "./mp4";
import { type Body, openStream } from "./body";

const kMaxInitSize = 1 << 20; // bytes: a response without a moov box within these is not MP4

type SourceConstructor = typeof MediaSource;

/** Safari on iPhones has only ManagedMediaSource. */
export function mediaSource(): SourceConstructor | undefined {
  const all = window as unknown as Record<string, SourceConstructor | undefined>;
  return all["MediaSource"] ?? all["ManagedMediaSource"];
}

function join(a: Uint8Array<ArrayBuffer>, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Appends /NAME.mp4 to a SourceBuffer as it arrives; every frame is a fragment. */
export class Progressive extends StreamEngine {
  private readonly edge = new LiveEdge(this.source);

  mediaEpoch(): number | undefined {
    return streamEpoch(this.source.stream);
  }

  override halt(): void {
    this.edge.stop();
    super.halt();
  }

  protected async play(): Promise<void> {
    const body = await openStream(this.source.url, this.halted.signal);
    const media = await this.attach();
    this.edge.start(); // not earlier: until now the element still has the media played before
    const appender = await this.begin(media, body);
    for (;;) {
      const bytes = await this.read(body);
      if (!bytes) return;
      await appender.append(bytes);
    }
  }

  private async attach(): Promise<MediaSource> {
    const { video } = this.source;
    const Constructor = mediaSource();
    if (!Constructor) throw new Unplayable("this browser has no Media Source Extensions; use HLS");
    const media = new Constructor();
    video.disableRemotePlayback = true; // ManagedMediaSource requires it
    const url = URL.createObjectURL(media);
    video.src = url;
    await new Promise((resolve) => media.addEventListener("sourceopen", resolve, { once: true }));
    URL.revokeObjectURL(url);
    this.halted.signal.throwIfAborted();
    return media;
  }

  /** Reads the initialization segment, which names the codecs, and appends it. */
  private async begin(media: MediaSource, body: Body): Promise<Appender> {
    let head: Uint8Array<ArrayBuffer> = new Uint8Array();
    for (;;) {
      const bytes = await this.read(body);
      if (!bytes || head.length > kMaxInitSize) throw new Error("the server did not send MP4");
      head = join(head, bytes);
      const found = codecs(head, this.source.stream.audio_codec ?? undefined);
      if (found === undefined) continue;
      const appender = new Appender(this.buffer(media, found), this.source.video);
      await appender.append(head);
      return appender;
    }
  }

  private buffer(media: MediaSource, found: string): SourceBuffer {
    const type = `video/mp4; codecs="${found}"`;
    const Constructor = mediaSource();
    if (!Constructor?.isTypeSupported(type)) {
      throw new Unplayable(`this browser does not support ${found}`);
    }
    return media.addSourceBuffer(type);
  }

  private async read(body: Body): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await body.read();
    this.bytes += bytes?.length ?? 0;
    return bytes;
  }
}

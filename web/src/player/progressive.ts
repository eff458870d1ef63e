import { Appender } from "./appender";
import { began, type Engine, type Source, unlessOver, Unplayable } from "./engine";
import { LiveEdge } from "./live_edge";
import { codecs } from "./mp4";
import { type Body, openStream } from "./body";

const kMostInit = 1 << 20; // bytes: more without a moov is no MP4

type SourceConstructor = typeof MediaSource;

/** Safari on phones has only the managed one. */
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

/** /NAME.mp4 into a SourceBuffer, as it comes: every picture is a fragment. */
export class Progressive implements Engine {
  private readonly over = new AbortController();
  private readonly edge: LiveEdge;
  private bytes = 0;

  constructor(private readonly source: Source) {
    this.edge = new LiveEdge(source);
  }

  async run(): Promise<void> {
    try {
      await unlessOver(this.play(), this.source.video, this.over.signal);
    } finally {
      this.halt();
    }
  }

  zero(): number | undefined {
    return began(this.source.stream);
  }

  received(): number {
    return this.bytes;
  }

  halt(): void {
    this.edge.stop();
    this.over.abort();
  }

  close(): void {
    this.source.video.removeAttribute("src");
  }

  private async play(): Promise<void> {
    const body = await openStream(this.source.url, this.over.signal);
    const media = await this.attach();
    this.edge.start(); // not sooner: until now the element has what was played before
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
    if (!Constructor) throw new Unplayable("this browser lacks Media Source Extensions: use HLS");
    const media = new Constructor();
    video.disableRemotePlayback = true; // what a managed one asks for
    const url = URL.createObjectURL(media);
    video.src = url;
    await new Promise((resolve) => media.addEventListener("sourceopen", resolve, { once: true }));
    URL.revokeObjectURL(url);
    this.over.signal.throwIfAborted();
    return media;
  }

  /** Reads up to the end of the initialization segment, which says what the SourceBuffer is for. */
  private async begin(media: MediaSource, body: Body): Promise<Appender> {
    let head: Uint8Array<ArrayBuffer> = new Uint8Array();
    for (;;) {
      const bytes = await this.read(body);
      if (!bytes || head.length > kMostInit) throw new Error("no MP4 has come");
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
    if (!Constructor?.isTypeSupported(type)) throw new Unplayable(`this browser cannot play ${found}`);
    return media.addSourceBuffer(type);
  }

  private async read(body: Body): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await body.read();
    this.bytes += bytes?.length ?? 0;
    return bytes;
  }
}

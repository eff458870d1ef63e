import mpegts from "mpegts.js";
import { openStream } from "./body";

/** What the page wants to know of mpegts.js's own connection. */
export interface Watch {
  /** Every byte, before mpegts.js has it. */
  received(bytes: Uint8Array<ArrayBuffer>): void;
  failed(error: Error): void;
  /** Ends it. */
  signal: AbortSignal;
}

function exactly(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}

/** A loader for mpegts.js, whose bytes are seen on their way. */
export function loaderFor(watch: Watch) {
  return class StreamingLoader extends mpegts.BaseLoader {
    private readonly over = new AbortController();
    private at = 0;

    constructor() {
      super("symcast");
      this._needStash = false;
      watch.signal.addEventListener("abort", () => this.abort());
    }

    override open(source: { url: string }): void {
      this._status = mpegts.LoaderStatus.kConnecting;
      this.pump(source.url).catch((error: unknown) => {
        if (!this.over.signal.aborted) watch.failed(error as Error);
      });
    }

    override abort(): void {
      this._status = mpegts.LoaderStatus.kComplete;
      this.over.abort();
    }

    override destroy(): void {
      this.abort();
      super.destroy();
    }

    private async pump(url: string): Promise<void> {
      const body = await openStream(url, this.over.signal);
      this._status = mpegts.LoaderStatus.kBuffering;
      for (;;) {
        const bytes = await body.read();
        if (!bytes) return watch.failed(new Error("the stream has ended"));
        watch.received(bytes);
        const begin = this.at;
        this.at += bytes.length;
        this.onDataArrival(exactly(bytes), begin, this.at);
      }
    }
  };
}

import mpegts from "mpegts.js";
import { openStream } from "./body";

/** Reports on the connection that mpegts.js opens. */
export interface LoaderObserver {
  /** Receives all bytes before mpegts.js does. */
  received(bytes: Uint8Array<ArrayBuffer>): void;
  failed(error: Error): void;
  /** Closes the connection. */
  signal: AbortSignal;
}

function exactBuffer(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}

/** A loader class for mpegts.js that reports to `observer`. */
export function loaderFor(observer: LoaderObserver) {
  return class StreamingLoader extends mpegts.BaseLoader {
    private readonly aborted = new AbortController();
    private position = 0;

    constructor() {
      super("symcast");
      this._needStash = false;
      observer.signal.addEventListener("abort", () => this.abort());
    }

    override open(source: { url: string }): void {
      this._status = mpegts.LoaderStatus.kConnecting;
      this.pump(source.url).catch((error: unknown) => {
        if (!this.aborted.signal.aborted) observer.failed(error as Error);
      });
    }

    override abort(): void {
      this._status = mpegts.LoaderStatus.kComplete;
      this.aborted.abort();
    }

    override destroy(): void {
      this.abort();
      super.destroy();
    }

    private async pump(url: string): Promise<void> {
      const body = await openStream(url, this.aborted.signal);
      this._status = mpegts.LoaderStatus.kBuffering;
      for (;;) {
        const bytes = await body.read();
        if (!bytes) return observer.failed(new Error("the stream has ended"));
        observer.received(bytes);
        const begin = this.position;
        this.position += bytes.length;
        this.onDataArrival(exactBuffer(bytes), begin, this.position);
      }
    }
  };
}

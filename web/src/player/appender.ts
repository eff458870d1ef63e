const kKeptBehind = 10; // seconds behind the playhead, for a decoder that has to go back
const kTrimBehind = 20; // seconds behind the playhead: more is trimmed to kKeptBehind

/** Appends bytes to a SourceBuffer in order, and removes media that was shown long ago. */
export class Appender {
  constructor(
    private readonly buffer: SourceBuffer,
    private readonly video: HTMLVideoElement,
  ) {}

  async append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.trim(kTrimBehind);
    try {
      this.buffer.appendBuffer(bytes);
    } catch (error) {
      if ((error as Error).name !== "QuotaExceededError") throw error;
      await this.trim(kKeptBehind);
      this.buffer.appendBuffer(bytes);
    }
    await this.updated();
  }

  private async trim(longest: number): Promise<void> {
    const { buffered } = this.buffer;
    const now = this.video.currentTime;
    if (buffered.length === 0 || now - buffered.start(0) < longest) return;
    this.buffer.remove(buffered.start(0), now - kKeptBehind);
    await this.updated();
  }

  private updated(): Promise<void> {
    if (!this.buffer.updating) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settled = new AbortController();
      const settle = (end: () => void) => () => {
        settled.abort();
        end();
      };
      const { signal } = settled;
      this.buffer.addEventListener("updateend", settle(resolve), { signal });
      const fail = () => reject(new Error(this.video.error?.message || "the media is invalid"));
      this.buffer.addEventListener("error", settle(fail), { signal });
      this.buffer.addEventListener("abort", settle(fail), { signal });
    });
  }
}

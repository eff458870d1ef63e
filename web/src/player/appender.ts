const kKept = 10; // seconds behind the picture shown, for a decoder that has to go back
const kTrimmed = 20;

/** Bytes → a SourceBuffer, one after the other; what was shown long ago is removed. */
export class Appender {
  constructor(
    private readonly buffer: SourceBuffer,
    private readonly video: HTMLVideoElement,
  ) {}

  async append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.trim(kTrimmed);
    try {
      this.buffer.appendBuffer(bytes);
    } catch (error) {
      if ((error as Error).name !== "QuotaExceededError") throw error;
      await this.trim(kKept);
      this.buffer.appendBuffer(bytes);
    }
    await this.done();
  }

  private async trim(most: number): Promise<void> {
    const { buffered } = this.buffer;
    const now = this.video.currentTime;
    if (buffered.length === 0 || now - buffered.start(0) < most) return;
    this.buffer.remove(buffered.start(0), now - kKept);
    await this.done();
  }

  private done(): Promise<void> {
    if (!this.buffer.updating) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const settle = (end: () => void) => () => {
        over.abort();
        end();
      };
      const { signal } = over;
      this.buffer.addEventListener("updateend", settle(resolve), { signal });
      const fail = () => reject(new Error(this.video.error?.message || "the media is not valid"));
      this.buffer.addEventListener("error", settle(fail), { signal });
      this.buffer.addEventListener("abort", settle(fail), { signal });
    });
  }
}

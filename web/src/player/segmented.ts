import Hls, { type ErrorData, type HlsConfig } from "hls.js";
import { type Engine, play, type Source, unlessOver, Unplayable } from "./engine";

const kSettings: Partial<HlsConfig> = {
  lowLatencyMode: true,
  maxLiveSyncPlaybackRate: 1.1,
  liveSyncOnStallIncrease: 0.25, // seconds further behind, for good, of each stall; 1 of itself
  backBufferLength: 10,
  enableWorker: false, // fragments of MP4 need no remuxing
};

// Target durations behind live from which it jumps. What it chases ends at one beyond its target. Not
// among the settings: there it goes only with a target of the page's own, not the playlist's.
const kFar = 2.5;

const kUnplayable: string[] = [
  Hls.ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR,
  Hls.ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR,
];

/** /NAME/index.m3u8: low-latency HLS, whose rate the server chooses. */
export class Segmented implements Engine {
  private readonly over = new AbortController();
  private readonly hls = new Hls(kSettings);
  private bytes = 0;

  constructor(private readonly source: Source) {
    this.hls.config.liveMaxLatencyDurationCount = kFar;
  }

  async run(): Promise<void> {
    try {
      await unlessOver(this.play(), this.source.video, this.over.signal);
    } finally {
      this.halt();
    }
  }

  zero(): number | undefined {
    const date = this.hls.playingDate;
    return date ? date.getTime() - this.source.video.currentTime * 1000 : undefined;
  }

  received(): number {
    return this.bytes;
  }

  halt(): void {
    this.over.abort();
    this.hls.stopLoad();
  }

  close(): void {
    this.hls.destroy();
  }

  private play(): Promise<never> {
    const { video, url } = this.source;
    return new Promise((_, reject) => {
      this.hls.on(Hls.Events.ERROR, (_event, data) => this.failed(data, reject));
      this.hls.on(Hls.Events.BUFFER_APPENDING, (_event, data) => {
        this.bytes += data.data.byteLength;
      });
      // Attached again, after an error of its own, the element is paused.
      this.hls.on(Hls.Events.MEDIA_ATTACHED, () => play(video));
      this.hls.loadSource(url);
      this.hls.attachMedia(video);
    });
  }

  private failed(data: ErrorData, reject: (error: Error) => void): void {
    if (!data.fatal) return;
    const words = data.response?.text || data.error.message || data.details;
    reject(kUnplayable.includes(data.details) ? new Unplayable(words) : new Error(words));
  }
}

import Hls, { type ErrorData, type HlsConfig } from "hls.js";
import { play, type Source, StreamEngine, Unplayable } from "./engine";

const kSettings: Partial<HlsConfig> = {
  lowLatencyMode: true,
  maxLiveSyncPlaybackRate: 1.1,
  liveSyncOnStallIncrease: 0.25, // seconds that each stall adds to the latency for good; default 1
  backBufferLength: 10,
  enableWorker: false, // MP4 fragments need no remuxing
};

// Latency in target durations above which hls.js jumps to the live edge. Up to one target duration
// above its target latency, it catches up by playing faster. Set after construction: as a setting
// it would require liveSyncDurationCount, which would replace the playlist's target latency.
const kMaxLatencyDurations = 2.5;

const kUnplayableErrors: string[] = [
  Hls.ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR,
  Hls.ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR,
];

/** /NAME/index.m3u8: low-latency HLS; the server chooses the rate. */
export class Segmented extends StreamEngine {
  private readonly hls = new Hls(kSettings);

  constructor(source: Source) {
    super(source);
    this.hls.config.liveMaxLatencyDurationCount = kMaxLatencyDurations;
  }

  mediaEpoch(): number | undefined {
    const date = this.hls.playingDate;
    return date ? date.getTime() - this.source.video.currentTime * 1000 : undefined;
  }

  override halt(): void {
    super.halt();
    this.hls.stopLoad();
  }

  override close(): void {
    this.hls.destroy();
  }

  protected play(): Promise<never> {
    const { video, url } = this.source;
    return new Promise((_, reject) => {
      this.hls.on(Hls.Events.ERROR, (_event, data) => this.failed(data, reject));
      this.hls.on(Hls.Events.BUFFER_APPENDING, (_event, data) => {
        this.bytes += data.data.byteLength;
      });
      // When hls.js attaches the element again to recover from an error, the element is paused.
      this.hls.on(Hls.Events.MEDIA_ATTACHED, () => play(video));
      this.hls.loadSource(url);
      this.hls.attachMedia(video);
    });
  }

  private failed(data: ErrorData, reject: (error: Error) => void): void {
    if (!data.fatal) return;
    const message = data.response?.text || data.error.message || data.details;
    reject(kUnplayableErrors.includes(data.details) ? new Unplayable(message) : new Error(message));
  }
}

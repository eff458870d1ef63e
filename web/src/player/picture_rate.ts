const kCheckInterval = 500; // ms
const kReadings = 7; // of which the oldest is 3 s old
const kLeastPlayed = 1.5; // seconds: with less, the player stands still, and has its own message
/** At the lowest rate a stream has a quarter of its frames. Fewer than half of these are pauses. */
const kPausedShare = 1 / 8;
const kUsualShare = 1 / 5;

interface Reading {
  at: number; // ms
  position: number; // seconds
  frames: number;
}

/** Tells when the server pauses the picture, because a connection carries little more than the audio.
 * `usual`: the stream's frames per second, if known. */
export class PictureRate {
  private readings: Reading[] = [];
  private paused = false;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly usual: () => number | undefined,
    private readonly onChange: (paused: boolean) => void,
  ) {
    setInterval(() => this.check(), kCheckInterval);
  }

  private check(): void {
    const { totalVideoFrames: frames } = this.video.getVideoPlaybackQuality();
    const last = this.readings.at(-1);
    if (document.hidden || this.video.paused || (last && frames < last.frames)) this.readings = [];
    this.readings.push({ at: performance.now(), position: this.video.currentTime, frames });
    if (this.readings.length > kReadings) this.readings.shift();
    this.set(this.judge());
  }

  /** Frames that a jump skips do not count. */
  private judge(): boolean {
    const first = this.readings[0];
    const last = this.readings.at(-1);
    const usual = this.usual();
    if (!first || !last || usual === undefined || this.readings.length < kReadings) return false;
    const played = Math.min(last.position - first.position, (last.at - first.at) / 1000);
    if (played < kLeastPlayed) return this.paused;
    const share = (last.frames - first.frames) / played / usual;
    return share < (this.paused ? kUsualShare : kPausedShare);
  }

  private set(paused: boolean): void {
    if (paused === this.paused) return;
    this.paused = paused;
    this.onChange(paused);
  }
}

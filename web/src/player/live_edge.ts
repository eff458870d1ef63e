import { play, type Source } from "./engine";

const kTickInterval = 100; // ms
const kReserveTicks = 10; // the reserve is the minimum over this many ticks: a second
const kMinTarget = 0.3; // seconds that two frames take on a link that has fallen to a fifth
const kTargetRoundTrips = 6; // five to drain data in flight at such a fall, one to recover a loss
const kMinTargetLimit = 0.8; // seconds: limits the two above on very long paths
const kMaxTarget = 1; // seconds
const kDecoderDry = 0.1; // seconds: with less ahead, Chromium regards its decoder as dry
const kJumpSurplus = 0.8; // seconds above the target: more is skipped, less is played faster
const kChaseSurplus = 0.03; // seconds above the target: less does not justify a faster rate
const kChaseGain = 0.5; // of playback rate per second of surplus
const kMaxPlaybackRate = 1.1;
const kMinPlaybackRate = 0.75;
const kStretchBelow = 0.85; // of the target: with less ahead, playback slows down
const kStallIncrease = 0.06; // seconds that each stall adds to the target
const kSettleTime = 0.3; // seconds played after a jump; an earlier stall is due to the decoder
const kTargetDecay = 0.9995; // per tick: the target halves in a little over two minutes

/** Seconds buffered ahead of the playhead, and where the next buffered range begins if there is a
 * hole before it. */
function ahead(video: HTMLVideoElement): { seconds: number; next: number | undefined } {
  const { buffered, currentTime } = video;
  for (let i = 0; i < buffered.length; ++i) {
    if (buffered.end(i) <= currentTime) continue;
    if (buffered.start(i) > currentTime + 0.001) return { seconds: 0, next: buffered.start(i) };
    return { seconds: buffered.end(i) - currentTime, next: undefined };
  }
  return { seconds: 0, next: undefined };
}

function newest(video: HTMLVideoElement): number | undefined {
  const { buffered } = video;
  return buffered.length > 0 ? buffered.end(buffered.length - 1) : undefined;
}

/** Keeps playback near the newest frame. The reserve is the least that was buffered ahead in the
 * last second: the part that network jitter did not use. Its target is larger on longer paths,
 * where the server learns later that the link fell. With a surplus, playback is slightly faster;
 * with a large one, it jumps. With little ahead, it slows down to avoid a stall. Each stall raises
 * the target, which then decays slowly.
 *
 *   ahead     kDecoderDry .. 0.85 target .. target .. + kChaseSurplus .. + kJumpSurplus
 *   playback  0.75 ......... 1.0 .......... 1.0 ..... up to 1.1 ........ jump
 */
export class LiveEdge {
  private timer = 0;
  private target = 0;
  private recentAhead: number[] = [];
  private jumpedTo: number | undefined; // media time of the last jump
  private readonly stopped = new AbortController();

  constructor(private readonly source: Source) {}

  private get video(): HTMLVideoElement {
    return this.source.video;
  }

  private get minTarget(): number {
    return Math.min(kMinTargetLimit, kMinTarget + kTargetRoundTrips * this.source.roundTrip());
  }

  start(): void {
    const { signal } = this.stopped;
    this.video.addEventListener("waiting", () => this.onStall(), { signal });
    document.addEventListener("visibilitychange", () => this.onTabShown(), { signal });
    this.video.addEventListener("progress", () => this.tick(), { signal });
    this.timer = setInterval(() => this.tick(), kTickInterval);
  }

  stop(): void {
    clearInterval(this.timer);
    this.stopped.abort();
    this.video.playbackRate = 1;
  }

  private onStall(): void {
    if (this.jumpedTo === undefined || this.video.seeking || document.hidden) return;
    if (this.video.currentTime < this.jumpedTo + kSettleTime) return;
    this.target = Math.min(kMaxTarget, this.target + kStallIncrease);
  }

  /** Skips what was buffered while the tab was hidden. */
  private onTabShown(): void {
    if (!document.hidden && ahead(this.video).seconds > 2 * this.target) this.jump();
  }

  private tick(): void {
    const edge = newest(this.video);
    if (edge === undefined || this.video.seeking) return;
    if (this.jumpedTo === undefined) return this.begin();
    const { seconds, next } = ahead(this.video);
    if (next !== undefined) return this.seek(next);
    this.addAhead(seconds);
    this.target = Math.max(this.minTarget, this.target * kTargetDecay);
    const surplus = Math.min(...this.recentAhead) - this.target;
    if (surplus > kJumpSurplus) return this.jump();
    const slow = this.slowRate(seconds);
    this.video.playbackRate = slow < 1 ? slow : this.chaseRate(surplus);
  }

  private begin(): void {
    this.target = this.minTarget;
    this.jump();
    play(this.video);
  }

  private addAhead(seconds: number): void {
    this.recentAhead.push(seconds);
    if (this.recentAhead.length > kReserveTicks) this.recentAhead.shift();
  }

  private chaseRate(surplus: number): number {
    const chasing = this.video.playbackRate > 1;
    if (surplus <= (chasing ? 0 : kChaseSurplus)) return 1;
    const rate = Math.min(kMaxPlaybackRate, 1 + Math.max(0.01, surplus * kChaseGain));
    return Math.round(rate * 100) / 100;
  }

  private slowRate(ahead: number): number {
    const share = (ahead - kDecoderDry) / (kStretchBelow * this.target - kDecoderDry);
    const rate = kMinPlaybackRate + (1 - kMinPlaybackRate) * Math.min(1, Math.max(0, share));
    return Math.round(rate * 20) / 20; // coarse: each new rate costs audio processing
  }

  private jump(): void {
    const edge = newest(this.video);
    if (edge !== undefined) this.seek(Math.max(this.video.buffered.start(0), edge - this.target));
  }

  private seek(to: number): void {
    this.recentAhead = [];
    this.jumpedTo = to;
    this.video.playbackRate = 1;
    this.video.currentTime = to;
  }
}

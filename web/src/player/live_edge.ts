import { play, type Source } from "./engine";

const kTick = 100; // ms
const kWindow = 10; // ticks that the reserve is the least of: a second
const kLeast = 0.3; // seconds: of the two pictures that are made before a fall to a fifth is heard of
const kTrips = 6; // round trips: what is on its way then passes in five; a loss is mended in another
const kMostLeast = 0.8;
const kDry = 0.1; // seconds: Chromium holds its decoder to be dry below that
const kMost = 1;
const kFar = 0.8; // seconds too many: a jump, not a chase
const kSlack = 0.03; // before it is worth to go faster
const kGain = 0.5; // of rate per second too many
const kFastest = 1.1;
const kSlowest = 0.75;
const kLow = 0.85; // of the reserve: with less ahead it is stretched
const kGrowth = 0.06; // seconds that each stall asks for
const kFilled = 0.3; // seconds shown since a jump: a wait before is the decoder's, not the network's
const kDecay = 0.9995; // per tick: halves in a bit more than two minutes

/** What lies ahead of the picture shown, seconds; and where the next buffered range begins, when
 * there is a hole before it. */
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

/** Keeps playback near the newest picture. The reserve is the least that lay ahead within the last
 * second: what the network's jitter has not needed. It is longer on longer paths, which tell of a
 * fall later. Too much of it: a little faster; far too much: a jump. While there is little ahead:
 * slower, so that it lasts. A stall asks for more from then on, and is slowly forgotten.
 *
 *   ahead     kDry ....... low ...... target ... +slack ............ target + far
 *   playback  0.75 ... 1.0 |   1.0          |    up to 1.1         |   jump
 */
export class LiveEdge {
  private timer = 0;
  private target = 0;
  private recent: number[] = [];
  private jumped: number | undefined; // to where, the last time
  private readonly over = new AbortController();

  constructor(private readonly source: Source) {}

  private get video(): HTMLVideoElement {
    return this.source.video;
  }

  private get least(): number {
    return Math.min(kMostLeast, kLeast + kTrips * this.source.roundTrip());
  }

  start(): void {
    const { signal } = this.over;
    this.video.addEventListener("waiting", () => this.stalled(), { signal });
    document.addEventListener("visibilitychange", () => this.returned(), { signal });
    this.video.addEventListener("progress", () => this.tick(), { signal });
    this.timer = setInterval(() => this.tick(), kTick);
  }

  stop(): void {
    clearInterval(this.timer);
    this.over.abort();
    this.video.playbackRate = 1;
  }

  private stalled(): void {
    if (this.jumped === undefined || this.video.seeking || document.hidden) return;
    if (this.video.currentTime < this.jumped + kFilled) return;
    this.target = Math.min(kMost, this.target + kGrowth);
  }

  /** What piled up behind another tab is not worth to be seen. */
  private returned(): void {
    if (!document.hidden && ahead(this.video).seconds > 2 * this.target) this.jump();
  }

  private tick(): void {
    const edge = newest(this.video);
    if (edge === undefined || this.video.seeking) return;
    if (this.jumped === undefined) return this.begin();
    const { seconds, next } = ahead(this.video);
    if (next !== undefined) return this.seek(next);
    this.remember(seconds);
    this.target = Math.max(this.least, this.target * kDecay);
    const surplus = Math.min(...this.recent) - this.target;
    if (surplus > kFar) return this.jump();
    const stretched = this.stretch(seconds);
    this.video.playbackRate = stretched < 1 ? stretched : this.chase(surplus);
  }

  private begin(): void {
    this.target = this.least;
    this.jump();
    play(this.video);
  }

  private remember(seconds: number): void {
    this.recent.push(seconds);
    if (this.recent.length > kWindow) this.recent.shift();
  }

  private chase(surplus: number): number {
    const chasing = this.video.playbackRate > 1;
    if (surplus <= (chasing ? 0 : kSlack)) return 1;
    const rate = Math.min(kFastest, 1 + Math.max(0.01, surplus * kGain));
    return Math.round(rate * 100) / 100;
  }

  private stretch(ahead: number): number {
    const share = (ahead - kDry) / (kLow * this.target - kDry);
    const rate = kSlowest + (1 - kSlowest) * Math.min(1, Math.max(0, share));
    return Math.round(rate * 20) / 20; // each new rate costs the sound some work
  }

  private jump(): void {
    const edge = newest(this.video);
    if (edge !== undefined) this.seek(Math.max(this.video.buffered.start(0), edge - this.target));
  }

  private seek(to: number): void {
    this.recent = [];
    this.jumped = to;
    this.video.playbackRate = 1;
    this.video.currentTime = to;
  }
}

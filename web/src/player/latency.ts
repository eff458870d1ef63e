import type { ServerClock } from "../api/server_clock";

const kNewWeight = 0.15; // of a new picture in the average; smooths out display refresh
const kFrozenAfter = 500; // ms without a new picture: the age of the last one counts

/** Time since the picture on the screen left the source, by the server's clock. */
export class Latency {
  private smooth: number | undefined;
  private mediaTime = 0;
  private shown = -Infinity; // performance.now()

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly clock: ServerClock,
    private readonly mediaEpoch: () => number | undefined,
  ) {
    if ("requestVideoFrameCallback" in video) this.watch();
    else setInterval(() => this.addPicture(performance.now(), this.video.currentTime), 100);
  }

  /** Seconds; undefined until it is known. */
  seconds(): number | undefined {
    const now = performance.now();
    if (now - this.shown > kFrozenAfter) return this.age(now);
    return this.smooth;
  }

  /** Forgets the past when a new connection begins. */
  reset(): void {
    this.smooth = undefined;
    this.shown = -Infinity;
  }

  private watch(): void {
    this.video.requestVideoFrameCallback((_now, frame) => {
      this.addPicture(frame.expectedDisplayTime, frame.mediaTime);
      this.watch();
    });
  }

  private addPicture(moment: number, mediaTime: number): void {
    this.shown = moment;
    this.mediaTime = mediaTime;
    const age = this.age(moment);
    if (age === undefined) return;
    this.smooth = this.smooth === undefined ? age : this.smooth + kNewWeight * (age - this.smooth);
  }

  private age(moment: number): number | undefined {
    const now = this.clock.at(moment);
    const epoch = this.mediaEpoch();
    if (now === undefined || epoch === undefined || this.shown === -Infinity) return undefined;
    return (now - epoch) / 1000 - this.mediaTime;
  }
}

import { address } from "./address";

const kSamples = 5;
const kFirstInterval = 2000; // ms: while the page loads it is busy, which lengthens round trips
const kInterval = 30_000; // ms: clocks drift by less than a millisecond in that time
const kTimeout = 2000; // ms

/** The server's wall clock. Of a few samples, the one with the shortest round trip counts: its
 * error is at most half of that round trip. */
export class ServerClock {
  /** Shortest round trip so far, milliseconds; 0 means not known. */
  roundTrip = 0;
  private offset = 0;
  private known = false;
  private timer = 0;

  start(next = kFirstInterval): void {
    clearTimeout(this.timer);
    void this.sync().finally(() => {
      this.timer = setTimeout(() => this.start(kInterval), next);
    });
  }

  /** Server time in milliseconds since 1970 at a moment of performance.now(); undefined until the
   * server has answered. */
  at(moment: number): number | undefined {
    return this.known ? performance.timeOrigin + moment + this.offset : undefined;
  }

  private async sync(): Promise<void> {
    let best = Infinity;
    for (let i = 0; i < kSamples; ++i) {
      const sample = await this.sample().catch(() => undefined);
      if (!sample || sample.trip >= best) continue;
      best = sample.trip;
      this.roundTrip = this.known ? Math.min(this.roundTrip, best) : best;
      this.offset = sample.offset;
      this.known = true;
    }
  }

  private async sample(): Promise<{ trip: number; offset: number } | undefined> {
    const sent = local();
    const answer = await fetch(address("api/v1/time"), {
      cache: "no-store",
      signal: AbortSignal.timeout(kTimeout),
    });
    const received = local();
    const server = Date.parse((await answer.text()).trim());
    if (!answer.ok || Number.isNaN(server)) return undefined;
    return { trip: received - sent, offset: server - (sent + received) / 2 };
  }
}

/** Unlike Date.now(), this clock never jumps. */
function local(): number {
  return performance.timeOrigin + performance.now();
}

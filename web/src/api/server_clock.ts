const kSamples = 5;
const kSoon = 2000; // ms: while a page begins it is busy, which looks like a longer way
const kAgain = 30_000; // ms: quartz drifts by less than a millisecond meanwhile
const kPatience = 2000;

/** The server's wall clock. Of a few samples the one with the least round trip counts: its answer was
 * made within that time, so it is wrong by at most half of it. */
export class ServerClock {
  /** Milliseconds, the least so far; 0: not known. */
  roundTrip = 0;
  private offset = 0;
  private known = false;
  private timer = 0;

  start(next = kSoon): void {
    clearTimeout(this.timer);
    void this.sync().finally(() => {
      this.timer = setTimeout(() => this.start(kAgain), next);
    });
  }

  /** Milliseconds since 1970, of a moment of performance.now(); undefined before the server has
   * answered. */
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
    const answer = await fetch("/api/v1/time", {
      cache: "no-store",
      signal: AbortSignal.timeout(kPatience),
    });
    const received = local();
    const server = Date.parse((await answer.text()).trim());
    if (!answer.ok || Number.isNaN(server)) return undefined;
    return { trip: received - sent, offset: server - (sent + received) / 2 };
  }
}

/** Unlike Date.now() it never jumps. */
function local(): number {
  return performance.timeOrigin + performance.now();
}

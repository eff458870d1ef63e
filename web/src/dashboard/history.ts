import type { Congestion, Sample } from "../api/types";

export const kShownTime = 60; // seconds

const kSpareTime = 5; // seconds beyond kShownTime, so that lines reach the edge of the chart

/** The last minute of one viewer. */
export class History {
  samples: Sample[] = [];
  congestions: Congestion[] = [];
  counts = { rexmt: 0, dupack: 0, other: 0 };

  addSample(sample: Sample): void {
    this.samples.push(sample);
    this.forget();
  }

  addCongestion(event: Congestion): void {
    this.congestions.push(event);
    const kind = event.kind === "rexmt" || event.kind === "dupack" ? event.kind : "other";
    ++this.counts[kind];
  }

  /** The server's monotonic clock, at the newest sample. */
  get now(): number {
    return this.samples.at(-1)?.at ?? 0;
  }

  private forget(): void {
    const oldest = this.now - kShownTime - kSpareTime;
    while (this.samples[0] && this.samples[0].at < oldest) this.samples.shift();
    while (this.congestions[0] && this.congestions[0].at < oldest) this.congestions.shift();
  }
}

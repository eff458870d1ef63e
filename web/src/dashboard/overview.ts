import type { State } from "../api/types";
import { make, setText } from "../dom";
import * as format from "../format";

const kFigures = [
  "Viewers",
  "Encoders",
  "Encoded",
  "Sent",
  "Behind live, median",
  "Congestion events",
] as const;

function median(values: number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The rate sent to all viewers, except those that joined or left since the last state. */
class SendRate {
  private at = 0;
  private bytes = new Map<number, number>();

  add(state: State): number | null {
    const increases = state.viewers.map(
      ({ id, bytes_sent }) => Math.max(0, bytes_sent - (this.bytes.get(id) ?? bytes_sent)),
    );
    const rate = (sum(increases) * 8) / (state.at - this.at);
    const known = this.at > 0 && state.at > this.at;
    this.at = state.at;
    this.bytes = new Map(state.viewers.map(({ id, bytes_sent }) => [id, bytes_sent]));
    return known ? rate : null;
  }
}

/** A row of totals. */
export class Overview {
  readonly element = make("dl", { class: "overview" });
  private readonly values: HTMLElement[] = [];
  private readonly sent = new SendRate();
  private smooth: number | null = null;

  constructor() {
    for (const figure of kFigures) {
      const value = make("dd", {}, "–");
      this.values.push(value);
      this.element.append(make("div", {}, make("dt", {}, figure), value));
    }
  }

  show(state: State): void {
    const groups = state.streams.flatMap((stream) => stream.groups);
    const behind = state.viewers.flatMap(({ behind_live }) => behind_live ?? []);
    const texts = [
      format.count(state.viewers_total),
      `${groups.length} of ${sum(state.streams.map(({ max_groups }) => max_groups))}`,
      format.rate(sum(groups.map(({ rate }) => rate))),
      format.rate(this.smoothed(this.sent.add(state))),
      format.time(median(behind)),
      format.count(sum(state.viewers.map(({ congestion_events }) => congestion_events))),
    ];
    texts.forEach((text, i) => this.values[i] && setText(this.values[i], text));
  }

  private smoothed(rate: number | null): number | null {
    if (rate !== null) this.smooth = this.smooth === null ? rate : 0.6 * this.smooth + 0.4 * rate;
    return this.smooth;
  }
}

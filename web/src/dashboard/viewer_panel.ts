import { EventStream } from "../api/event_stream";
import type { Congestion, Decision, Sample, Viewer } from "../api/types";
import { isReduced, make, setText } from "../dom";
import { agentName } from "./agent";
import { Chart } from "./chart";
import { Decisions } from "./decisions";
import { History } from "./history";
import { kMarks } from "./marks";
import { kPlans } from "./plans";

const kAgain = 1000; // ms between attempts
const kCalm = 1000; // ms between redraws, where motion is to be reduced

/** One viewer, as it goes: charts, congestion events, decisions. */
export class ViewerPanel {
  readonly element: HTMLElement;
  private readonly history = new History();
  private readonly charts = kPlans.map((plan) => new Chart(plan, this.history));
  private readonly decisions = new Decisions();
  private readonly title = make("h2");
  private readonly note = make("span", { class: "note" });
  private readonly counts = new Map<string, HTMLElement>();
  private events: EventStream | undefined;
  private opened = -Infinity; // performance.now()
  private gone = false;
  private drawn = 0;
  private pending = 0;

  /** `connected`: ids begin anew with the server. */
  constructor(
    readonly id: number,
    private readonly connected: number,
  ) {
    const head = make("header", {}, this.title, this.note, this.legend());
    const charts = make("div", { class: "charts" }, ...this.charts.map(({ element }) => element));
    this.element = make("article", { class: "viewer" }, head, charts, this.decisions.element);
  }

  isOf({ id, connected }: Viewer): boolean {
    return id === this.id && connected === this.connected;
  }

  /** He is still there, as this says. */
  describe(viewer: Viewer, own: boolean): void {
    setText(this.title, `Viewer ${viewer.id}`);
    if (this.gone) return;
    this.open();
    const parts = [agentName(viewer.user_agent), viewer.address, `${viewer.stream} · ${viewer.format}`];
    setText(this.note, [...(own ? ["this page"] : []), ...parts].join(" · "));
  }

  left(): void {
    this.gone = true;
    setText(this.note, "has left");
    this.rest();
  }

  /** No further events, until he is described again. */
  rest(): void {
    this.events?.close();
    this.events = undefined;
  }

  recolour(): void {
    this.charts.forEach((chart) => chart.recolour());
  }

  close(): void {
    this.rest();
    cancelAnimationFrame(this.pending);
    this.charts.forEach((chart) => chart.destroy());
    this.element.remove();
  }

  private open(): void {
    const now = performance.now();
    if (this.events || now - this.opened < kAgain) return;
    this.opened = now;
    this.events = new EventStream(
      `/api/v1/viewers/${this.id}/events`,
      {
        sample: (sample: Sample) => this.sample(sample),
        congestion: (event: Congestion) => this.congestion(event),
        decision: (decision: Decision) => this.decisions.add(decision, this.wall(decision.at)),
        leave: () => this.left(),
      },
      () => this.rest(),
    );
  }

  private sample(sample: Sample): void {
    this.history.addSample(sample);
    if (this.pending !== 0) return;
    this.pending = requestAnimationFrame((now) => {
      this.pending = 0;
      if (isReduced() && now - this.drawn < kCalm) return;
      this.drawn = now;
      this.charts.forEach((chart) => chart.update());
    });
  }

  private congestion(event: Congestion): void {
    this.history.addCongestion(event);
    for (const [kind, count] of Object.entries(this.history.counts)) {
      const element = this.counts.get(kind);
      if (element) setText(element, String(count));
    }
  }

  /** By this machine's clock: it is for people. */
  private wall(at: number): Date {
    const age = this.history.now > 0 ? Math.max(0, this.history.now - at) : 0;
    return new Date(Date.now() - age * 1000);
  }

  private legend(): HTMLElement {
    const items = kMarks.map(({ kind, text, colour }) => {
      const count = make("b", {}, "0");
      this.counts.set(kind, count);
      const swatch = make("i", { "aria-hidden": "true", class: `mark ${kind}` });
      swatch.style.setProperty("--line-colour", `var(${colour})`);
      return make("li", {}, swatch, `${text} `, count);
    });
    return make("ul", { class: "marks", "aria-label": "Congestion events" }, ...items);
  }
}

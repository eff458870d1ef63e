import { EventStream } from "../api/event_stream";
import type { Congestion, Decision, Sample, Viewer } from "../api/types";
import { make, prefersReducedMotion, setText } from "../dom";
import { agentName } from "./agent";
import { Chart } from "./chart";
import { Decisions } from "./decisions";
import { History } from "./history";
import { kMarks } from "./marks";
import { kCharts } from "./plans";

const kReconnectInterval = 1000; // ms
const kReducedMotionInterval = 1000; // ms between redraws if the user prefers reduced motion

/** One viewer, live: charts, congestion events and decisions. */
export class ViewerPanel {
  readonly element: HTMLElement;
  private readonly history = new History();
  private readonly charts = kCharts.map((spec) => new Chart(spec, this.history));
  private readonly decisions = new Decisions();
  private readonly title = make("h2");
  private readonly note = make("span", { class: "note" });
  private readonly counts = new Map<string, HTMLElement>();
  private events: EventStream | undefined;
  private openedAt = -Infinity; // performance.now()
  private disconnected = false;
  private drawnAt = 0;
  private pendingFrame = 0;

  /** `connected` tells viewers apart whose ids repeat after a restart of the server. */
  constructor(
    readonly id: number,
    private readonly connected: number,
  ) {
    const head = make("header", {}, this.title, this.note, this.legend());
    const charts = make("div", { class: "charts" }, ...this.charts.map(({ element }) => element));
    this.element = make("article", { class: "viewer" }, head, charts, this.decisions.element);
  }

  shows({ id, connected }: Viewer): boolean {
    return id === this.id && connected === this.connected;
  }

  /** Updates the panel with the viewer's current state. */
  update(viewer: Viewer, own: boolean): void {
    setText(this.title, `Viewer ${viewer.id}`);
    if (this.disconnected) return;
    this.open();
    const { user_agent, address, stream, format } = viewer;
    const parts = [agentName(user_agent), address, stream, format];
    setText(this.note, [...(own ? ["this page"] : []), ...parts].join(" · "));
  }

  markDisconnected(): void {
    this.disconnected = true;
    setText(this.note, "disconnected");
    this.closeEvents();
  }

  /** Closes the event stream until the next update(). */
  closeEvents(): void {
    this.events?.close();
    this.events = undefined;
  }

  recolour(): void {
    this.charts.forEach((chart) => chart.recolour());
  }

  close(): void {
    this.closeEvents();
    cancelAnimationFrame(this.pendingFrame);
    this.charts.forEach((chart) => chart.destroy());
    this.element.remove();
  }

  private open(): void {
    const now = performance.now();
    if (this.events || now - this.openedAt < kReconnectInterval) return;
    this.openedAt = now;
    this.events = new EventStream(
      `api/v1/viewers/${this.id}/events`,
      {
        sample: (sample: Sample) => this.sample(sample),
        congestion: (event: Congestion) => this.congestion(event),
        decision: (decision: Decision) => this.decisions.add(decision, this.wallTime(decision.at)),
        leave: () => this.markDisconnected(),
      },
      () => this.closeEvents(),
    );
  }

  private sample(sample: Sample): void {
    this.history.addSample(sample);
    if (this.pendingFrame !== 0) return;
    this.pendingFrame = requestAnimationFrame((now) => {
      this.pendingFrame = 0;
      if (prefersReducedMotion() && now - this.drawnAt < kReducedMotionInterval) return;
      this.drawnAt = now;
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

  /** By the clock of this machine, which is the one the user knows. */
  private wallTime(at: number): Date {
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
    return make("ul", { class: "marks" }, make("li", {}, "Congestion events"), ...items);
  }
}

import type { Decision } from "../api/types";
import { make } from "../dom";
import * as format from "../format";
import { words } from "./reasons";

const kMost = 40;

/** What the policy decided of a viewer, the newest first. */
export class Decisions {
  readonly element: HTMLElement;
  private readonly list = make("ol", { tabindex: "0", "aria-label": "Last decisions" });
  private last: number | undefined;

  constructor() {
    this.element = make("section", { class: "decisions" }, make("h3", {}, "Last decisions"), this.list);
    this.list.append(make("li", { class: "none" }, "None since this was opened."));
  }

  /** `when`: what the wall clock shows. */
  add(decision: Decision, when: Date): void {
    this.list.querySelector(".none")?.remove();
    this.list.prepend(this.item(decision, when));
    while (this.list.children.length > kMost) this.list.lastElementChild?.remove();
    this.last = decision.rate;
  }

  private item(decision: Decision, when: Date): HTMLElement {
    const clock = when.toLocaleTimeString("en-GB");
    return make(
      "li",
      {},
      make("time", { datetime: when.toISOString() }, clock),
      make("b", { class: this.direction(decision.rate) }, format.rate(decision.rate)),
      make("span", { class: "why" }, words(decision.reason)),
      make("span", { class: "because" }, this.because(decision)),
    );
  }

  private direction(rate: number): string {
    if (this.last === undefined || rate === this.last) return "same";
    return rate > this.last ? "up" : "down";
  }

  private because({ capacity, queueing_delay }: Decision): string {
    const parts = [];
    if (capacity !== null) parts.push(`carries ${format.rate(capacity)}`);
    if (queueing_delay >= 0.001) parts.push(`queues ${format.time(queueing_delay)}`);
    return parts.join(", ");
  }
}

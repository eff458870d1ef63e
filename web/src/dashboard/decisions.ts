import type { Decision } from "../api/types";
import { make } from "../dom";
import * as format from "../format";
import { describeReason } from "./reasons";

const kMaxItems = 40;

/** The last decisions about a viewer, newest first. */
export class Decisions {
  readonly element: HTMLElement;
  private readonly list = make("ol", { tabindex: "0", "aria-label": "Last decisions" });
  private lastRate: number | undefined;

  constructor() {
    const title = make("h3", {}, "Last decisions");
    this.element = make("section", { class: "decisions" }, title, this.list);
    this.list.append(make("li", { class: "none" }, "No decisions since this panel was opened."));
  }

  /** `when` is the wall time of the decision. */
  add(decision: Decision, when: Date): void {
    this.list.querySelector(".none")?.remove();
    this.list.prepend(this.item(decision, when));
    while (this.list.children.length > kMaxItems) this.list.lastElementChild?.remove();
    this.lastRate = decision.rate;
  }

  private item(decision: Decision, when: Date): HTMLElement {
    const clock = when.toLocaleTimeString("en-GB");
    return make(
      "li",
      {},
      make("time", { datetime: when.toISOString() }, clock),
      make("b", { class: this.direction(decision.rate) }, format.rate(decision.rate)),
      make("span", { class: "reason" }, describeReason(decision.reason)),
      make("span", { class: "evidence" }, this.evidence(decision)),
    );
  }

  private direction(rate: number): string {
    if (this.lastRate === undefined || rate === this.lastRate) return "same";
    return rate > this.lastRate ? "up" : "down";
  }

  private evidence({ capacity, queueing_delay }: Decision): string {
    const parts = [];
    if (capacity !== null) parts.push(`capacity ${format.rate(capacity)}`);
    if (queueing_delay >= 0.001) parts.push(`queueing delay ${format.time(queueing_delay)}`);
    return parts.join(", ");
  }
}

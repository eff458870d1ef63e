import type { Group, State, Stream, Viewer } from "../api/types";
import { make, setText } from "../dom";
import * as format from "../format";

const kTicks = [1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7];
const kMaxDots = 300;
const kLabelWidth = 92; // pixels
const kLabelOverhang = 12; // pixels that a label may extend beyond the field
const kDotSpacing = 0.012; // of the width: dots closer than this are stacked

interface Limits {
  min: number;
  max: number;
}

/** Position of a rate on a logarithmic scale, 0 ... 1. */
function place(rate: number, { min, max }: Limits): number {
  const share = Math.log(rate / min) / Math.log(max / min);
  return Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
}

function label({ target, height }: Group): string {
  return height === null ? format.megabits(target) : `${format.megabits(target)} · ${height}p`;
}

function put(element: HTMLElement, left: number, level = 0): void {
  element.style.setProperty("--at", left.toFixed(4));
  element.style.setProperty("--level", String(level));
}

/** The groups of a stream as lines over its range of rates, and the viewers as dots at their target
 * rates. Hidden from screen readers: the tables have the same content. */
export class Ladder {
  readonly element = make("figure", { class: "ladder", "aria-hidden": "true" });
  private readonly title = make("figcaption");
  private readonly ticks = make("div", { class: "ticks" });
  private readonly dots = make("div", { class: "dots" });
  private readonly rungs = make("div", { class: "rungs" });
  private limits: Limits | undefined;

  constructor(private readonly choose: (id: number) => void) {
    const field = make("div", { class: "field" }, this.ticks, this.rungs, this.dots);
    this.element.append(this.title, field);
    this.dots.addEventListener("click", (event) => {
      const id = (event.target as HTMLElement).dataset["viewer"];
      if (id) this.choose(Number(id));
    });
  }

  setStream({ name, rate }: Stream): void {
    const legend = "encode groups (lines) and the viewers' targets (dots)";
    setText(this.title, `Rates of ${name} in Mbit/s: ${legend}`);
    if (JSON.stringify(this.limits) === JSON.stringify(rate)) return;
    this.limits = rate;
    this.ticks.replaceChildren(...this.marks(rate));
  }

  show(state: State, stream: string, chosen: number | undefined): void {
    const groups = state.streams.find(({ name }) => name === stream)?.groups ?? [];
    if (!this.limits) return;
    this.showRungs(groups, this.limits);
    const viewers = state.viewers.filter((viewer) => viewer.stream === stream);
    this.showDots(viewers.slice(0, kMaxDots), chosen, this.limits);
  }

  private marks(limits: Limits): HTMLElement[] {
    const inside = kTicks.filter((tick) => tick > limits.min * 1.15 && tick < limits.max / 1.15);
    return [limits.min, ...inside, limits.max].map((rate) => {
      const mark = make("span", {}, format.megabits(rate).replace(/\.?0+$/, ""));
      put(mark, place(rate, limits));
      return mark;
    });
  }

  private showRungs(groups: Group[], limits: Limits): void {
    resize(this.rungs, groups.length, () => make("span", {}, make("b")));
    const width = this.rungs.clientWidth;
    let [end, level] = [-Infinity, 0]; // of the previous label
    const sorted = [...groups].sort((a, b) => a.target - b.target);
    sorted.forEach((group, i) => {
      const rung = this.rungs.children[i] as HTMLElement;
      const at = place(group.target, limits);
      const right = at * width + kLabelWidth / 2 > width + kLabelOverhang;
      const begin = right ? width + kLabelOverhang - kLabelWidth : at * width - kLabelWidth / 2;
      level = begin < end ? level + 1 : 0;
      end = begin + kLabelWidth;
      put(rung, at, level);
      rung.classList.toggle("right", right);
      rung.style.setProperty("--right", `${at * width - begin - kLabelWidth}px`);
      if (rung.firstElementChild) setText(rung.firstElementChild, label(group));
    });
  }

  private showDots(viewers: Viewer[], chosen: number | undefined, limits: Limits): void {
    resize(this.dots, viewers.length, () => make("i"));
    const levels = new Map<number, number>();
    viewers.forEach((viewer, i) => {
      const dot = this.dots.children[i] as HTMLElement;
      const at = place(viewer.target ?? limits.min, limits);
      const bin = Math.round(at / kDotSpacing);
      const level = levels.get(bin) ?? 0;
      levels.set(bin, level + 1);
      put(dot, at, level);
      dot.dataset["viewer"] = String(viewer.id);
      dot.title = `Viewer ${viewer.id}: ${format.rate(viewer.target)}`;
      dot.classList.toggle("chosen", viewer.id === chosen);
    });
  }
}

function resize(parent: HTMLElement, count: number, create: () => HTMLElement): void {
  while (parent.children.length > count) parent.lastElementChild?.remove();
  while (parent.children.length < count) parent.append(create());
}

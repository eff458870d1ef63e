import uPlot from "uplot";
import type { Sample } from "../api/types";
import { make, setText } from "../dom";
import { type History, kShownTime } from "./history";
import { drawMarks } from "./marks";

export interface Line {
  text: string;
  colour: string; // custom property
  value: (sample: Sample) => number | null;
  dash?: number[];
  /** The value changes in steps, without slopes. */
  steps?: boolean;
}

export interface ChartSpec {
  title: string;
  lines: Line[];
  /** Formats axis labels. */
  axis: (value: number) => string;
  /** Formats legend values. */
  text: (value: number | null) => string;
  /** The axis reaches at least this value. */
  minTop: number;
}

const kHeight = 150; // pixels
const kTimeTicks = [-60, -45, -30, -15, 0]; // seconds
const kFont = "11px system-ui, sans-serif";

/** One moving chart with a legend, which shows the newest values or those under the pointer. */
export class Chart {
  readonly element: HTMLElement;
  private readonly plotBox = make("div", { class: "plot" });
  private readonly values: HTMLElement[] = [];
  private plot: uPlot | undefined;

  constructor(
    private readonly spec: ChartSpec,
    private readonly history: History,
  ) {
    const items = spec.lines.map((line) => this.legendItem(line));
    const legend = make("figcaption", {}, make("h3", {}, spec.title), make("ul", {}, ...items));
    this.element = make("figure", { class: "chart" }, legend, this.plotBox);
    new ResizeObserver(() => this.resize()).observe(this.plotBox);
  }

  update(): void {
    this.plot?.setData(this.data());
    this.updateLegend();
  }

  /** Redraws with the colours of the current theme. */
  recolour(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.resize();
  }

  destroy(): void {
    this.plot?.destroy();
  }

  private legendItem({ text, colour, dash }: Line): HTMLElement {
    const value = make("b", {}, "–");
    const swatch = make("i", { "aria-hidden": "true", class: dash ? "dashed" : "" });
    swatch.style.setProperty("--line-colour", `var(${colour})`);
    this.values.push(value);
    return make("li", {}, swatch, `${text} `, value);
  }

  private resize(): void {
    const width = this.plotBox.clientWidth;
    if (width === 0) return;
    if (this.plot) this.plot.setSize({ width, height: kHeight });
    else this.plot = new uPlot(this.options(width), this.data(), this.plotBox);
  }

  private data(): uPlot.AlignedData {
    const { samples, now } = this.history;
    return [
      samples.map(({ at }) => at - now),
      ...this.spec.lines.map(({ value }) => samples.map(value)),
    ];
  }

  private updateLegend(): void {
    const { samples } = this.history;
    const sample = samples[this.plot?.cursor.idx ?? samples.length - 1];
    this.spec.lines.forEach(({ value }, i) => {
      const element = this.values[i];
      if (element) setText(element, this.spec.text(sample ? value(sample) : null));
    });
  }

  private options(width: number): uPlot.Options {
    const colour = (name: string) => getComputedStyle(this.plotBox).getPropertyValue(name).trim();
    const axis = { stroke: colour("--soft"), font: kFont, ticks: { show: false } };
    const grid = { stroke: colour("--line"), width: 1 };
    return {
      width,
      height: kHeight,
      legend: { show: false },
      padding: [6, 14, 0, 0],
      cursor: {
        sync: { key: "viewer", setSeries: false },
        drag: { x: false, y: false },
        points: { size: 6 },
      },
      scales: {
        x: { time: false, range: [-kShownTime, 0] },
        y: { range: (_plot, _low, high) => [0, Math.max(this.spec.minTop, (high || 0) * 1.08)] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 22, splits: kTimeTicks, values: timeLabels },
        { ...axis, grid, size: 44, space: 34, values: (_plot, all) => all.map(this.spec.axis) },
      ],
      series: [{}, ...this.spec.lines.map((line) => series(line, colour))],
      hooks: {
        drawAxes: [(plot) => drawMarks(plot, this.history, colour)],
        setCursor: [() => this.updateLegend()],
      },
    };
  }
}

function timeLabels(_plot: uPlot, splits: number[]): string[] {
  return splits.map((x) => (x === 0 ? "now" : `${x}\u202fs`));
}

function series(line: Line, colour: (name: string) => string): uPlot.Series {
  const stepped = line.steps ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    label: line.text,
    stroke: colour(line.colour),
    width: 1.6,
    points: { show: false },
    ...(line.dash ? { dash: line.dash } : {}),
    ...(stepped ? { paths: stepped } : {}),
  };
}

import type uPlot from "uplot";
import type { History } from "./history";

export interface Mark {
  kind: string;
  text: string;
  colour: string; // custom property
  dash: number[];
}

/** The kinds differ in dashes as well as in colour. */
export const kMarks: Mark[] = [
  { kind: "rexmt", text: "REXMT", colour: "--red", dash: [] },
  { kind: "dupack", text: "DUPACK", colour: "--purple", dash: [5, 3] },
  { kind: "other", text: "other", colour: "--soft", dash: [1, 3] },
];

export function markOf(kind: string): Mark {
  return kMarks.find((mark) => mark.kind === kind) ?? (kMarks[2] as Mark);
}

/** Congestion events as vertical lines; `colour` resolves a custom property. */
export function drawMarks(plot: uPlot, history: History, colour: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const event of history.congestions) {
    const x = Math.round(plot.valToPos(event.at - history.now, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const mark = markOf(event.kind);
    ctx.strokeStyle = colour(mark.colour);
    ctx.setLineDash(mark.dash.map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

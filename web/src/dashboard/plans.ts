import * as format from "../format";
import type { Plan } from "./chart";

const thousands = (value: number) => Number((value * 1000).toPrecision(3)).toString();
const millions = (value: number) => Number((value / 1e6).toPrecision(3)).toString();

/** What is drawn of a viewer. */
export const kPlans: Plan[] = [
  {
    title: "Rate, Mbit/s",
    least: 1e6,
    axis: millions,
    text: format.megabits,
    lines: [
      { text: "capacity", colour: "--green", value: (s) => s.capacity, dash: [6, 4] },
      { text: "target", colour: "--blue", value: (s) => s.target, steps: true },
      { text: "sent", colour: "--orange", value: (s) => s.rate },
    ],
  },
  {
    title: "Delay, ms",
    least: 0.1,
    axis: thousands,
    text: format.time,
    lines: [
      { text: "behind live", colour: "--blue", value: (s) => s.behind_live },
      { text: "backlog", colour: "--orange", value: (s) => s.backlog },
    ],
  },
  {
    title: "Round trip, ms",
    least: 0.002,
    axis: thousands,
    text: format.time,
    lines: [{ text: "RTT", colour: "--blue", value: (s) => s.rtt }],
  },
  {
    title: "Window, segments",
    least: 10,
    axis: (value) => String(value),
    text: format.count,
    lines: [
      { text: "cwnd", colour: "--blue", value: (s) => s.cwnd, steps: true },
      { text: "ssthresh", colour: "--orange", value: (s) => s.ssthresh, steps: true, dash: [6, 4] },
    ],
  },
];

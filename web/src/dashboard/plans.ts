import * as format from "../format";
import type { ChartSpec } from "./chart";

const milliseconds = (value: number) => Number((value * 1000).toPrecision(3)).toString();
const megabits = (value: number) => Number((value / 1e6).toPrecision(3)).toString();

/** The charts of a viewer. */
export const kCharts: ChartSpec[] = [
  {
    title: "Rate, Mbit/s",
    minTop: 1e6,
    axis: megabits,
    text: format.megabits,
    lines: [
      { text: "capacity", colour: "--green", value: (s) => s.capacity, dash: [6, 4] },
      { text: "target", colour: "--blue", value: (s) => s.target, steps: true },
      { text: "sent", colour: "--orange", value: (s) => s.rate },
    ],
  },
  {
    title: "Delay, ms",
    minTop: 0.1,
    axis: milliseconds,
    text: format.time,
    lines: [
      { text: "behind live", colour: "--blue", value: (s) => s.behind_live },
      { text: "backlog", colour: "--orange", value: (s) => s.backlog },
    ],
  },
  {
    title: "Round-trip time, ms",
    minTop: 0.002,
    axis: milliseconds,
    text: format.time,
    lines: [{ text: "RTT", colour: "--blue", value: (s) => s.rtt }],
  },
  {
    title: "Congestion window, segments",
    minTop: 10,
    axis: (value) => String(value),
    text: format.count,
    lines: [
      { text: "cwnd", colour: "--blue", value: (s) => s.cwnd, steps: true },
      { text: "ssthresh", colour: "--orange", value: (s) => s.ssthresh, steps: true, dash: [6, 4] },
    ],
  },
];

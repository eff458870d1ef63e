import type { Group, State } from "../api/types";
import * as format from "../format";
import { type Column, Table } from "./table";

interface Row extends Group {
  stream: string;
  highestTarget: number; // bit/s, of the full bar
}

const kColumns: Column<Row>[] = [
  { head: "Stream", kind: "text", text: (g) => g.stream },
  { head: "Group", kind: "number", text: (g) => String(g.index) },
  { head: "Size", kind: "number minor", text: (g) => format.size(g.width, g.height) },
  {
    head: "Target",
    title: "Rate the encoder is set to",
    kind: "number",
    text: (g) => format.megabits(g.target),
    bar: (g) => g.target / g.highestTarget,
  },
  {
    head: "Actual",
    title: "Rate the encoder produced in the last second",
    kind: "number minor",
    text: (g) => format.megabits(g.rate),
  },
  { head: "Viewers", kind: "number", text: (g) => format.count(g.viewers) },
  { head: "Frames", kind: "number least", text: (g) => format.count(g.frames) },
  {
    head: "Late",
    title: "Frames dropped because the encoder was late",
    kind: "number minor",
    text: (g) => format.count(g.frames_late),
  },
  {
    head: "Forced keyframes",
    title: "Keyframes encoded because a viewer needed one",
    kind: "number minor",
    text: (g) => format.count(g.keyframes_forced),
  },
  { head: "State", kind: "text least", text: (g) => (g.closing ? "closing" : "") },
];

/** The encode groups of all streams. */
export class GroupTable {
  private readonly table = new Table<Row, string>(
    "Encode groups, rates in Mbit/s",
    kColumns,
    (group) => `${group.stream}/${group.index}`,
  );
  readonly element = this.table.element;

  show(state: State): void {
    const groups = state.streams.flatMap(({ name, groups }) =>
      groups.map((group) => ({ ...group, stream: name, highestTarget: 0 })),
    );
    const highestTarget = Math.max(1, ...groups.map(({ target }) => target));
    this.table.show(groups.map((group) => ({ ...group, highestTarget })));
  }
}

import type { Group, State } from "../api/types";
import * as format from "../format";
import { type Column, Table } from "./table";

interface Row extends Group {
  stream: string;
  most: number; // bit/s: the widest bar
}

const kColumns: Column<Row>[] = [
  { head: "Stream", kind: "text least", text: (g) => g.stream },
  { head: "Group", kind: "number", text: (g) => String(g.index) },
  { head: "Picture", kind: "number", text: (g) => format.size(g.width, g.height) },
  {
    head: "Target",
    title: "Mbit/s",
    kind: "number",
    text: (g) => format.megabits(g.target),
    bar: (g) => g.target / g.most,
  },
  { head: "Actual", title: "Mbit/s", kind: "number minor", text: (g) => format.megabits(g.rate) },
  { head: "Viewers", kind: "number", text: (g) => format.count(g.viewers) },
  { head: "Pictures", kind: "number least", text: (g) => format.count(g.frames) },
  { head: "Late", kind: "number minor", text: (g) => format.count(g.frames_late) },
  {
    head: "Keyframes",
    title: "made because a viewer needed one",
    kind: "number minor",
    text: (g) => format.count(g.keyframes_forced),
  },
  { head: "", kind: "text least", text: (g) => (g.closing ? "closing" : "") },
];

/** The encode groups: who encodes what, and for how many. */
export class GroupTable {
  private readonly table = new Table<Row, string>(
    "Encode groups",
    kColumns,
    (group) => `${group.stream}/${group.index}`,
  );
  readonly element = this.table.element;

  show(state: State): void {
    const groups = state.streams.flatMap(({ name, groups }) =>
      groups.map((group) => ({ ...group, stream: name, most: 0 })),
    );
    const most = Math.max(1, ...groups.map(({ target }) => target));
    this.table.show(groups.map((group) => ({ ...group, most })));
  }
}

import type { State, Viewer } from "../api/types";
import * as format from "../format";
import { agentName } from "./agent";
import { words } from "./reasons";
import { type Column, Table } from "./table";

const kMostRows = 200;

interface Row extends Viewer {
  age: number;
  most: number;
}

const kColumns: Column<Row>[] = [
  { head: "Viewer", kind: "text", text: (v) => String(v.id) },
  {
    head: "Player",
    kind: "text agent",
    text: (v) => agentName(v.user_agent),
    hint: (v) => v.user_agent,
  },
  { head: "Address", kind: "text minor", text: (v) => v.address },
  { head: "Stream", kind: "text least", text: (v) => `${v.stream} · ${v.format}` },
  { head: "Group", kind: "number minor", text: (v) => String(v.group) },
  {
    head: "Target",
    title: "Mbit/s: what the policy lets the viewer have",
    kind: "number",
    text: (v) => format.megabits(v.target),
    bar: (v) => (v.target ?? 0) / v.most,
  },
  {
    head: "Capacity",
    title: "Mbit/s: what the path carries",
    kind: "number minor",
    text: (v) => format.megabits(v.capacity),
  },
  { head: "RTT", kind: "number minor", text: (v) => format.time(v.rtt) },
  { head: "Backlog", kind: "number minor", text: (v) => format.time(v.backlog) },
  {
    head: "Behind",
    title: "age of the newest picture that the viewer has acknowledged",
    kind: "number",
    text: (v) => format.time(v.behind_live),
  },
  {
    head: "Events",
    title: "of congestion",
    kind: "number least",
    text: (v) => format.count(v.congestion_events),
  },
  {
    head: "Because",
    kind: "text least",
    text: (v) => v.reason.replace("_", " "),
    hint: (v) => words(v.reason),
  },
  { head: "For", kind: "number least", text: (v) => format.duration(v.age) },
];

/** Who watches; one of them is chosen. */
export class ViewerTable {
  private readonly table: Table<Row, number>;
  readonly element: HTMLTableElement;

  constructor(private readonly choose: (id: number) => void) {
    this.table = new Table("Viewers", kColumns, ({ id }) => id, (tr, id) => this.prepare(tr, id));
    this.element = this.table.element;
    this.element.setAttribute("role", "grid");
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** How many of them are in the table. */
  shown(state: State): number {
    return Math.min(kMostRows, state.viewers.length);
  }

  show(state: State, chosen: number | undefined, own: number | undefined): void {
    const most = Math.max(1, ...state.viewers.map(({ target }) => target ?? 0));
    const rows = state.viewers
      .slice(0, kMostRows)
      .map((viewer) => ({ ...viewer, age: state.at - viewer.connected, most }));
    this.table.show(rows);
    const stop = rows.some(({ id }) => id === chosen) ? chosen : rows[0]?.id;
    for (const row of rows) {
      const tr = this.table.row(row);
      tr.setAttribute("aria-selected", String(row.id === chosen));
      tr.classList.toggle("own", row.id === own);
      tr.tabIndex = row.id === stop ? 0 : -1; // one stop of the tab key; from there by the arrows
    }
  }

  private prepare(tr: HTMLTableRowElement, id: number): void {
    tr.addEventListener("click", () => this.choose(id));
  }

  private key(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest("tr");
    if (!row) return;
    if (event.key === "Enter" || event.key === " ") row.click();
    else if (event.key === "ArrowDown") (row.nextElementSibling as HTMLElement | null)?.focus();
    else if (event.key === "ArrowUp") (row.previousElementSibling as HTMLElement | null)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

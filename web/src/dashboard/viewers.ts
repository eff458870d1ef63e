import type { State, Viewer } from "../api/types";
import * as format from "../format";
import { agentName } from "./agent";
import { describeReason } from "./reasons";
import { type Column, Table } from "./table";

const kMaxRows = 200;

interface Row extends Viewer {
  age: number; // seconds
  highestTarget: number; // bit/s, of the full bar
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
    title: "Rate that the policy allows the viewer",
    kind: "number",
    text: (v) => format.megabits(v.target),
    bar: (v) => (v.target ?? 0) / v.highestTarget,
  },
  {
    head: "Capacity",
    title: "Estimated capacity of the path",
    kind: "number minor",
    text: (v) => format.megabits(v.capacity),
  },
  { head: "RTT", kind: "number minor", text: (v) => format.time(v.rtt) },
  {
    head: "Backlog",
    title: "Unsent data, as time at the viewer's rate",
    kind: "number minor",
    text: (v) => format.time(v.backlog),
  },
  {
    head: "Behind live",
    title: "Age of the newest frame that the viewer has acknowledged",
    kind: "number",
    text: (v) => format.time(v.behind_live),
  },
  {
    head: "Congestion",
    title: "Congestion events",
    kind: "number least",
    text: (v) => format.count(v.congestion_events),
  },
  {
    head: "Reason",
    title: "Reason for the last change of the target",
    kind: "text least",
    text: (v) => v.reason.replace("_", " "),
    hint: (v) => describeReason(v.reason),
  },
  { head: "Watching for", kind: "number least", text: (v) => format.duration(v.age) },
];

/** The viewers; the user can choose one. */
export class ViewerTable {
  private readonly table: Table<Row, number>;
  readonly element: HTMLTableElement;

  constructor(private readonly choose: (id: number) => void) {
    this.table = new Table(
      "Viewers, rates in Mbit/s",
      kColumns,
      ({ id }) => id,
      (tr, id) => this.prepare(tr, id),
    );
    this.element = this.table.element;
    this.element.setAttribute("role", "grid");
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** The number of viewers in the table. */
  rowCount(state: State): number {
    return Math.min(kMaxRows, state.viewers.length);
  }

  show(state: State, chosen: number | undefined, own: number | undefined): void {
    const highestTarget = Math.max(1, ...state.viewers.map(({ target }) => target ?? 0));
    const rows = state.viewers
      .slice(0, kMaxRows)
      .map((viewer) => ({ ...viewer, age: state.at - viewer.connected, highestTarget }));
    this.table.show(rows);
    const focusable = rows.some(({ id }) => id === chosen) ? chosen : rows[0]?.id;
    for (const row of rows) {
      const tr = this.table.row(row);
      tr.setAttribute("aria-selected", String(row.id === chosen));
      tr.classList.toggle("own", row.id === own);
      tr.tabIndex = row.id === focusable ? 0 : -1; // one tab stop; arrow keys move on
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

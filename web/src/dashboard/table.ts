import { make, setText } from "../dom";

export interface Column<Row> {
  head: string;
  title?: string;
  /** Classes: "text" aligns left, "number" right; "minor" and "least" hide on narrow screens. */
  kind: string;
  text: (row: Row) => string;
  /** Tooltip of the cell. */
  hint?: (row: Row) => string;
  /** Length of the bar under the text, 0 ... 1. */
  bar?: (row: Row) => number;
}

/** A table whose rows are identified by keys and updated in place. */
export class Table<Row, Key> {
  readonly element: HTMLTableElement;
  private readonly body = make("tbody");
  private readonly rows = new Map<Key, HTMLTableRowElement>();

  constructor(
    caption: string,
    private readonly columns: Column<Row>[],
    private readonly key: (row: Row) => Key,
    private readonly onRowCreated: (tr: HTMLTableRowElement, key: Key) => void = () => undefined,
  ) {
    const heads = columns.map(({ head, title, kind }) =>
      make("th", { scope: "col", class: kind, ...(title ? { title } : {}) }, head),
    );
    this.element = make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads)),
      this.body,
    );
  }

  show(rows: Row[]): void {
    const keys = new Set(rows.map(this.key));
    for (const [key, tr] of this.rows) {
      if (keys.has(key)) continue;
      tr.remove();
      this.rows.delete(key);
    }
    rows.forEach((row, i) => {
      const tr = this.row(row);
      if (this.body.children[i] !== tr) this.body.insertBefore(tr, this.body.children[i] ?? null);
      this.fill(tr, row);
    });
  }

  row(row: Row): HTMLTableRowElement {
    const key = this.key(row);
    let tr = this.rows.get(key);
    if (!tr) {
      const cells = this.columns.map(({ kind }) => make("td", { class: kind }, make("span")));
      tr = make("tr", {}, ...cells);
      this.rows.set(key, tr);
      this.onRowCreated(tr, key);
    }
    return tr;
  }

  private fill(tr: HTMLTableRowElement, row: Row): void {
    this.columns.forEach((column, i) => {
      const cell = tr.children[i] as HTMLElement;
      const inner = cell.firstElementChild;
      if (inner) setText(inner, column.text(row));
      if (column.hint) cell.title = column.hint(row);
      if (column.bar) {
        cell.classList.add("bar");
        cell.style.setProperty("--share", Math.min(1, Math.max(0, column.bar(row))).toFixed(3));
      }
    });
  }
}

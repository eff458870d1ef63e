import { LastingStream } from "../api/event_stream";
import type { State, Stream } from "../api/types";
import { make, setText } from "../dom";
import * as format from "../format";
import type { Player } from "../player/player";
import { GroupTable } from "./groups";
import { Ladder } from "./ladder";
import { Overview } from "./overview";
import { ownViewer } from "./own_viewer";
import { ViewerPanel } from "./viewer_panel";
import { ViewerTable } from "./viewers";

const kSettled = 3; // seconds: the page's own viewer is known by then

/** What the server does for everybody, for those who may know. */
export class Dashboard {
  private readonly overview = new Overview();
  private readonly ladder = new Ladder((id) => this.choose(id));
  private readonly groups = new GroupTable();
  private readonly viewers = new ViewerTable((id) => this.choose(id));
  private readonly unlisted = make("p", { class: "unlisted" });
  private readonly place = make("div");
  private readonly status = make("p", { class: "unseen", role: "status" });
  private panel: ViewerPanel | undefined;
  private events: LastingStream | undefined;
  private state: State | undefined;
  private own: number | undefined;
  /** What the user chose; else his own viewer, or the only one. */
  private chosen: number | undefined;

  constructor(
    root: HTMLElement,
    private readonly player: Player,
  ) {
    const wide = (table: HTMLElement) => make("div", { class: "scroll" }, table);
    root.append(
      this.overview.element,
      this.ladder.element,
      make("div", { class: "tables" }, wide(this.groups.element), wide(this.viewers.element)),
      this.unlisted,
      this.place,
      this.status,
    );
    root.hidden = false;
    this.watch(true);
  }

  watch(here: boolean): void {
    this.events?.close();
    this.panel?.rest();
    if (!here) return;
    this.events = new LastingStream(
      "/api/v1/events",
      { state: (state: State) => this.show(state) },
      () => setText(this.status, "The server is away."),
    );
  }

  offer(streams: Stream[]): void {
    const shown = streams.find(({ name }) => name === this.player.chosen.stream);
    if (shown) this.ladder.offer(shown);
  }

  recolour(): void {
    this.panel?.recolour();
  }

  private choose(id: number): void {
    this.chosen = id === this.own ? undefined : id;
    if (this.state) this.show(this.state, id);
  }

  private show(state: State, wanted = this.wanted(state)): void {
    this.state = state;
    setText(this.status, "");
    this.own = ownViewer(state, this.player);
    this.overview.show(state);
    this.groups.show(state);
    this.ladder.show(state, this.player.chosen.stream, wanted);
    this.viewers.show(state, wanted, this.own);
    this.showUnlisted(state);
    this.showPanel(state, wanted);
  }

  private wanted(state: State): number | undefined {
    const here = (id: number | undefined) => state.viewers.some((viewer) => viewer.id === id);
    if (here(this.chosen)) return this.chosen;
    const own = ownViewer(state, this.player);
    if (own !== undefined) return own;
    if (here(this.panel?.id)) return this.panel?.id;
    const only = state.viewers.length === 1 ? state.viewers[0] : undefined;
    return only && state.at - only.connected > kSettled ? only.id : undefined;
  }

  private showUnlisted(state: State): void {
    const missing = state.viewers_total - this.viewers.shown(state);
    const more = missing > 0 ? `${format.plural(missing, "viewer")} not listed.` : "";
    setText(this.unlisted, state.viewers_total === 0 ? "Nobody is watching." : more);
  }

  private showPanel(state: State, id: number | undefined): void {
    const viewer = state.viewers.find((one) => one.id === (id ?? this.panel?.id));
    if (viewer && !this.panel?.isOf(viewer)) {
      this.panel?.close();
      this.panel = new ViewerPanel(viewer.id, viewer.connected);
      this.place.append(this.panel.element);
    }
    if (viewer) this.panel?.describe(viewer, viewer.id === this.own);
    else this.panel?.left();
  }
}

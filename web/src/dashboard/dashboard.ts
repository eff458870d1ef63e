import { ReconnectingEventStream } from "../api/event_stream";
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

const kOwnViewerKnown = 3; // seconds after which the page has recognized its own viewer

/** The state of all streams and viewers, for clients in admin.allow. */
export class Dashboard {
  private readonly overview = new Overview();
  private readonly ladder = new Ladder((id) => this.choose(id));
  private readonly groups = new GroupTable();
  private readonly viewers = new ViewerTable((id) => this.choose(id));
  private readonly viewersNote = make("p", { class: "viewers-note" });
  private readonly panelSlot = make("div");
  private readonly status = make("p", { class: "visually-hidden", role: "status" });
  private panel: ViewerPanel | undefined;
  private events: ReconnectingEventStream | undefined;
  private state: State | undefined;
  private own: number | undefined;
  /** The user's choice; if undefined, the page's own viewer or the only one is shown. */
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
      this.viewersNote,
      this.panelSlot,
      this.status,
    );
    root.hidden = false;
    this.setActive(true);
  }

  setActive(active: boolean): void {
    this.events?.close();
    this.panel?.closeEvents();
    if (!active) return;
    this.events = new ReconnectingEventStream(
      "api/v1/events",
      { state: (state: State) => this.show(state) },
      () => setText(this.status, "Server unreachable, reconnecting..."),
    );
  }

  setStreams(streams: Stream[]): void {
    const shown = streams.find(({ name }) => name === this.player.chosen.stream);
    if (shown) this.ladder.setStream(shown);
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
    this.showViewersNote(state);
    this.showPanel(state, wanted);
  }

  private wanted(state: State): number | undefined {
    const connected = (id: number | undefined) => state.viewers.some((viewer) => viewer.id === id);
    if (connected(this.chosen)) return this.chosen;
    const own = ownViewer(state, this.player);
    if (own !== undefined) return own;
    if (connected(this.panel?.id)) return this.panel?.id;
    const only = state.viewers.length === 1 ? state.viewers[0] : undefined;
    return only && state.at - only.connected > kOwnViewerKnown ? only.id : undefined;
  }

  private showViewersNote(state: State): void {
    const unlisted = state.viewers_total - this.viewers.rowCount(state);
    const note = unlisted > 0 ? `${format.plural(unlisted, "more viewer")} not listed.` : "";
    setText(this.viewersNote, state.viewers_total === 0 ? "No viewers." : note);
  }

  private showPanel(state: State, id: number | undefined): void {
    const viewer = state.viewers.find((one) => one.id === (id ?? this.panel?.id));
    if (viewer && !this.panel?.shows(viewer)) {
      this.panel?.close();
      this.panel = new ViewerPanel(viewer.id, viewer.connected);
      this.panelSlot.append(this.panel.element);
    }
    if (viewer) this.panel?.update(viewer, viewer.id === this.own);
    else this.panel?.markDisconnected();
  }
}

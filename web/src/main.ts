import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/page.css";
import "./style/player.css";
import "./style/dashboard.css";

import { address } from "./api/address";
import { ServerClock } from "./api/server_clock";
import { StreamWatch } from "./api/stream_watch";
import type { Stream, Streams } from "./api/types";
import type { Dashboard } from "./dashboard/dashboard";
import { Chooser } from "./player/chooser";
import { Controls } from "./player/controls";
import { Facts } from "./player/facts";
import { Latency } from "./player/latency";
import { PictureRate } from "./player/picture_rate";
import { describeError, Player } from "./player/player";
import { Screen } from "./player/screen";
import { byId, setText } from "./dom";
import { PageVisibility } from "./page_visibility";
import { ThemeButton } from "./theme";

const clock = new ServerClock();
const video = byId<HTMLVideoElement>("video");
const screen = new Screen(video);
const player = new Player(
  video,
  () => clock.roundTrip / 1000,
  (state) => {
    screen.show(state, player.foreign);
    controls.show();
  },
  () => {
    screen.freeze();
    latency.reset();
    facts.clear();
  },
);
const controls = new Controls(player);
const latency = new Latency(video, clock, () => player.engine?.mediaEpoch());
const facts = new Facts(player, latency, screen);
new PictureRate(
  video,
  () => (player.hasAudio ? (chooser.current?.frame_rate ?? undefined) : undefined),
  (paused) => screen.showPoor(paused),
);
const chooser = new Chooser(
  ({ stream, delivery }) => {
    player.choose(stream, delivery);
    screen.showSource(chooser.current);
    dashboard?.setStreams(streams);
  },
  (stream) => player.reject(stream),
);

/** Only for clients in admin.allow; loaded on demand. */
let dashboard: Dashboard | undefined;
let streams: Stream[] = [];
let version = "";

async function showDashboard(): Promise<void> {
  const { Dashboard } = await import("./dashboard/dashboard");
  dashboard ??= new Dashboard(byId("dashboard"), player);
  dashboard.setStreams(streams);
}

function show(all: Streams): void {
  if (version !== "" && version !== all.version) return location.reload(); // a new page
  version = all.version;
  streams = all.streams;
  followClock();
  showTitle(all.page);
  chooser.show(all);
  screen.showSource(chooser.current);
  byId("proxy").hidden = all.proxy === null;
  if (all.admin && all.page.technical) void showDashboard();
}

/** When somebody sets the server's clock, the date of the playing stream's beginning changes with it. */
function followClock(): void {
  const playing = player.engine?.source.stream;
  const told = streams.find(({ name }) => name === playing?.name);
  if (!playing || !told || playing.began === told.began) return;
  playing.began = told.began;
  clock.start();
}

/** As the operator has configured it ([page]). */
function showTitle({ title, logo, technical }: Streams["page"]): void {
  setText(byId("title"), title);
  document.body.classList.toggle("plain", !technical);
  if (!logo || !byId("logo").hidden) return;
  byId<HTMLImageElement>("logo").src = address("logo");
  byId("logo").hidden = false;
  byId("mark").setAttribute("hidden", "");
}

function showFailure(error: unknown): void {
  if (version === "") screen.show({ phase: "waiting", reason: describeError(error) }, false);
  else screen.loseServer();
}

/** A hidden page needs no stream unless its audio is on. */
function setVisible(visible: boolean): void {
  dashboard?.setActive(visible);
  if (!visible && video.muted && player.phase !== "paused") player.pause("suspended");
}

new ThemeButton(() => dashboard?.recolour());
new PageVisibility(setVisible);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && player.phase === "suspended") player.start();
});
clock.start();
new StreamWatch(show, showFailure);

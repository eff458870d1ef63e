import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/page.css";
import "./style/player.css";
import "./style/dashboard.css";

import { address } from "./api/address";
import { ServerClock } from "./api/server_clock";
import { fetchStreams } from "./api/streams";
import type { Stream, Streams } from "./api/types";
import type { Dashboard } from "./dashboard/dashboard";
import { Chooser } from "./player/chooser";
import { Controls } from "./player/controls";
import { Facts } from "./player/facts";
import { Latency } from "./player/latency";
import { Motion } from "./player/motion";
import { describeError, Player } from "./player/player";
import { Screen } from "./player/screen";
import { byId, setText } from "./dom";
import { PageVisibility } from "./page_visibility";
import { ThemeButton } from "./theme";

const kTick = 500; // ms
const kRefreshInterval = 5000; // ms: a new stream shows up within that time
const kWatchInterval = 500; // ms, when the picture begins to stand still: its source may be away
const kWatchTicks = 10; // as many: all pages together would load the server otherwise
const kFirstRetry = 1000; // ms, until the server has answered once

const clock = new ServerClock();
const video = byId<HTMLVideoElement>("video");
const screen = new Screen(video);
const motion = new Motion(video);
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

async function refresh(): Promise<void> {
  const all = await fetchStreams();
  if (version !== "" && version !== all.version) return location.reload(); // a new page
  version = all.version;
  streams = all.streams;
  followClock();
  showTitle(all.page);
  chooser.show(all);
  screen.showSource(chooser.current);
  byId("proxy").hidden = all.proxy === null;
  if (all.admin && all.page.technical) await showDashboard();
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

let refreshed = -Infinity; // performance.now()

let ticks = 0; // since the picture began to move, or to stand still
let moving = true;

function interval(): number {
  if (version === "") return kFirstRetry;
  const moves = motion.moves() || player.phase !== "playing";
  ticks = moves === moving ? ticks + 1 : 0;
  moving = moves;
  const doubtful = moves === screen.away; // it moves and is away, or stands still and is not
  return doubtful && ticks < kWatchTicks ? kWatchInterval : kRefreshInterval;
}

function tick(): void {
  const due = performance.now() - refreshed >= interval();
  const done = !due || document.hidden ? Promise.resolve() : refresh();
  if (due) refreshed = performance.now();
  void done
    .catch((error: unknown) => {
      if (version === "") screen.show({ phase: "waiting", reason: describeError(error) }, false);
    })
    .finally(() => setTimeout(tick, kTick));
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
tick();

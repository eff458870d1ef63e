import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/page.css";
import "./style/player.css";
import "./style/dashboard.css";

import { ServerClock } from "./api/server_clock";
import { fetchStreams } from "./api/streams";
import type { Streams } from "./api/types";
import type { Dashboard } from "./dashboard/dashboard";
import { Chooser } from "./player/chooser";
import { Controls } from "./player/controls";
import { Facts } from "./player/facts";
import { Latency } from "./player/latency";
import { Player } from "./player/player";
import { Screen } from "./player/screen";
import { byId } from "./dom";
import { Presence } from "./presence";
import { ThemeButton } from "./theme";

const kAgain = 5000; // ms: how soon a new stream shows up

const clock = new ServerClock();
const video = byId<HTMLVideoElement>("video");
const screen = new Screen(video);
const player = new Player(
  video,
  (state) => {
    screen.show(state);
    controls.show();
  },
  () => {
    screen.hold();
    latency.reset();
    facts.clear();
  },
);
const controls = new Controls(player);
const latency = new Latency(video, clock, () => player.engine?.zero());
const facts = new Facts(player, latency);
const chooser = new Chooser(({ stream, delivery }) => player.choose(stream, delivery));

/** For those who may see it: it comes when it is first needed. */
let dashboard: Promise<Dashboard> | undefined;

async function showDashboard(streams: Streams): Promise<void> {
  dashboard ??= import("./dashboard/dashboard").then(
    (module) => new module.Dashboard(byId("dashboard"), player),
  );
  (await dashboard).offer(streams.streams);
}

let version = "";

async function refresh(): Promise<void> {
  const streams = await fetchStreams();
  if (version !== "" && version !== streams.version) return location.reload(); // its page is new
  version = streams.version;
  chooser.show(streams);
  if (streams.admin) await showDashboard(streams);
}

function repeat(): void {
  const done = document.hidden ? Promise.resolve() : refresh();
  void done
    .catch((error: unknown) => {
      if (version === "") screen.show({ phase: "waiting", reason: (error as Error).message });
    })
    .finally(() => setTimeout(repeat, version === "" ? 1000 : kAgain));
}

/** Whoever does not look, and does not listen either, needs no stream. */
function present(here: boolean): void {
  void dashboard?.then((shown) => shown.watch(here));
  if (here && player.phase === "away") player.start();
  else if (!here && video.muted && player.phase !== "paused") player.pause("away");
}

new ThemeButton(() => void dashboard?.then((shown) => shown.recolour()));
new Presence(present);
clock.start();
repeat();

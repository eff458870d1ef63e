import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/page.css";
import "./style/player.css";
import "./style/dashboard.css";

import { ServerClock } from "./api/server_clock";
import { fetchStreams } from "./api/streams";
import type { Stream } from "./api/types";
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
  () => clock.roundTrip / 1000,
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
const chooser = new Chooser(({ stream, delivery }) => {
  player.choose(stream, delivery);
  dashboard?.offer(streams);
});

/** For those who may see it: it comes when it is first needed. */
let dashboard: Dashboard | undefined;
let streams: Stream[] = [];
let version = "";

async function showDashboard(): Promise<void> {
  const { Dashboard } = await import("./dashboard/dashboard");
  dashboard ??= new Dashboard(byId("dashboard"), player);
  dashboard.offer(streams);
}

async function refresh(): Promise<void> {
  const all = await fetchStreams();
  if (version !== "" && version !== all.version) return location.reload(); // its page is new
  version = all.version;
  streams = all.streams;
  chooser.show(all);
  if (all.admin) await showDashboard();
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
  dashboard?.watch(here);
  if (!here && video.muted && player.phase !== "paused") player.pause("away");
}

new ThemeButton(() => dashboard?.recolour());
new Presence(present);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && player.phase === "away") player.start();
});
clock.start();
repeat();

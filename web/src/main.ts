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
import { describeError, Player } from "./player/player";
import { Screen } from "./player/screen";
import { byId } from "./dom";
import { PageVisibility } from "./page_visibility";
import { ThemeButton } from "./theme";

const kRefreshInterval = 5000; // ms: a new stream shows up within that time
const kFirstRetry = 1000; // ms, until the server has answered once

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
    screen.freeze();
    latency.reset();
    facts.clear();
  },
);
const controls = new Controls(player);
const latency = new Latency(video, clock, () => player.engine?.mediaEpoch());
const facts = new Facts(player, latency);
const chooser = new Chooser(({ stream, delivery }) => {
  player.choose(stream, delivery);
  dashboard?.setStreams(streams);
});

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
  chooser.show(all);
  byId("proxy").hidden = all.proxy === null;
  if (all.admin) await showDashboard();
}

function poll(): void {
  const done = document.hidden ? Promise.resolve() : refresh();
  void done
    .catch((error: unknown) => {
      if (version === "") screen.show({ phase: "waiting", reason: describeError(error) });
    })
    .finally(() => setTimeout(poll, version === "" ? kFirstRetry : kRefreshInterval));
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
poll();

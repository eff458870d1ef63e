import { byId, make, setText } from "../dom";
import * as format from "../format";
import type { Latency } from "./latency";
import type { Player } from "./player";
import type { Screen } from "./screen";
import { Trail } from "./trail";

const kUpdateInterval = 500; // ms

const kFacts = ["Resolution", "Bit rate", "Buffered", "Dropped", "Speed"] as const;
type Fact = (typeof kFacts)[number];

/** The receive rate, over about two seconds. */
class Meter {
  private readings: { at: number; bytes: number }[] = [];

  add(bytes: number | undefined): number | null {
    if (bytes === undefined) return null;
    const at = performance.now();
    const last = this.readings.at(-1);
    if (last && bytes < last.bytes) this.readings = []; // a new connection
    this.readings.push({ at, bytes });
    if (this.readings.length > 5) this.readings.shift();
    const first = this.readings[0];
    if (!first || at - first.at < kUpdateInterval / 2) return null;
    return ((bytes - first.bytes) * 8000) / (at - first.at);
  }
}

/** The figures next to the video. */
export class Facts {
  private readonly values = new Map<Fact, HTMLElement>();
  private readonly trail = new Trail();
  private readonly meter = new Meter();

  constructor(
    private readonly player: Player,
    private readonly latency: Latency,
    private readonly screen: Screen,
  ) {
    for (const fact of kFacts) {
      const value = make("dd", {}, "–");
      this.values.set(fact, value);
      byId("facts").append(make("div", {}, make("dt", {}, fact), value));
    }
    setInterval(() => this.update(), kUpdateInterval);
  }

  clear(): void {
    this.trail.clear();
  }

  private update(): void {
    const live = this.player.phase === "playing";
    const seconds = live && !this.screen.away ? this.latency.seconds() : undefined;
    setText(byId("latency"), seconds === undefined ? "–" : seconds.toFixed(2));
    byId("latency").parentElement?.classList.toggle("unknown", seconds === undefined);
    this.trail.add(seconds);
    for (const [fact, text] of Object.entries(this.facts(live))) {
      const value = this.values.get(fact as Fact);
      if (value) setText(value, text);
    }
  }

  private facts(live: boolean): Record<Fact, string> {
    const { video, engine } = this.player;
    const quality = video.getVideoPlaybackQuality();
    return {
      Resolution: format.size(video.videoWidth, video.videoHeight),
      "Bit rate": format.rate(live ? this.meter.add(engine?.received()) : null),
      Buffered: format.time(live ? this.ahead() : null),
      Dropped: format.plural(quality.droppedVideoFrames, "frame"),
      Speed: `${video.playbackRate.toFixed(2)}×`,
    };
  }

  private ahead(): number | null {
    const { buffered, currentTime } = this.player.video;
    return buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : null;
  }
}

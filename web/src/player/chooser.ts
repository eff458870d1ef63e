import type { Stream, Streams } from "../api/types";
import { byId, make, setText } from "../dom";
import { Radios } from "../radios";
import { recall, remember } from "../stored";
import { type Delivery, pathOf, playable } from "./delivery";

const kKey = "symcast.delivery";
const kContainers: Record<string, string> = { mp4: "MP4", flv: "FLV" };
const kElsewhere: Record<string, string> = {
  ts: ".ts",
  flv: ".flv",
  mp4: ".mp4",
  hls: "HLS",
  dash: "DASH",
};

export interface Chosen {
  stream: string;
  delivery: Delivery;
}

/** Which stream, and how it comes. The stream is the address's fragment: a link leads to it. */
export class Chooser {
  private streams: Stream[] = [];
  private last = "";
  private kept: Delivery | undefined;
  private readonly stream = new Radios(byId("streams"), (name) => this.pick(name));
  private readonly mode = new Radios(byId("mode"), (mode) => {
    this.keep(mode === "hls" ? "hls" : "mp4");
  });
  private readonly container = new Radios(byId("container"), (name) => this.keep(name as Delivery));

  constructor(private readonly chosen: (chosen: Chosen) => void) {
    addEventListener("hashchange", () => this.update());
  }

  show({ streams, version }: Streams): void {
    this.streams = streams;
    setText(byId("version"), `symcast ${version}`);
    this.update();
  }

  private get current(): Stream | undefined {
    const name = location.hash.slice(1);
    return this.streams.find((stream) => encodeURIComponent(stream.name) === name) ?? this.streams[0];
  }

  private delivery(stream: Stream): Delivery {
    const all = playable(stream);
    const kept = this.kept ?? (recall(kKey) as Delivery);
    return all.includes(kept) ? kept : (all[0] ?? "mp4");
  }

  private pick(name: string): void {
    location.hash = encodeURIComponent(name);
  }

  private keep(delivery: Delivery): void {
    this.kept = delivery;
    remember(kKey, delivery);
    this.update();
  }

  private update(): void {
    const stream = this.current;
    if (!stream) return;
    const delivery = this.delivery(stream);
    this.stream.show(
      this.streams.map(({ name, state }) => ({
        value: name,
        text: state === "playing" ? name : `${name} (away)`,
      })),
      stream.name,
    );
    this.showDelivery(stream, delivery);
    document.title = `${stream.name} · symcast`;
    const now = JSON.stringify([stream.name, delivery]);
    if (now === this.last) return;
    this.last = now;
    this.showLinks(stream);
    this.chosen({ stream: stream.name, delivery });
  }

  private showDelivery(stream: Stream, delivery: Delivery): void {
    const all = playable(stream);
    const low = all.filter((d) => d !== "hls");
    const modes = [
      { value: "low", text: "Low latency", title: "One response without end" },
      { value: "hls", text: "HLS", title: "Low-latency HLS: segments and parts" },
    ].filter(({ value }) => (value === "hls" ? all.includes("hls") : low.length > 0));
    this.mode.show(modes, delivery === "hls" ? "hls" : "low");
    this.container.show(
      low.map((value) => ({ value, text: kContainers[value] ?? value })),
      delivery,
    );
    byId("container").classList.toggle("off", delivery === "hls" || low.length === 0);
    byId<HTMLFieldSetElement>("container").disabled = delivery === "hls";
  }

  private showLinks(stream: Stream): void {
    const links = stream.formats.map((format) =>
      make("a", { href: pathOf(stream.name, format) }, kElsewhere[format] ?? format),
    );
    byId("links").replaceChildren(...links.flatMap((link) => [link, " "]));
  }
}

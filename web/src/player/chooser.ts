import type { Stream, Streams } from "../api/types";
import { byId, make, setText } from "../dom";
import { Radios } from "../radios";
import { recall, remember } from "../stored";
import { type Delivery, pathOf, playable } from "./delivery";

const kStorageKey = "symcast.delivery";
const kContainers: Record<string, string> = { mp4: "MP4", flv: "FLV" };
const kLinkNames: Record<string, string> = {
  ts: ".ts",
  flv: ".flv",
  mp4: ".mp4",
  hls: "HLS",
  dash: "DASH",
};

export interface Selection {
  stream: string;
  delivery: Delivery;
}

/** The user's choice of stream and delivery. The fragment of the URL is the stream's name, so that
 * links can select it. */
export class Chooser {
  private streams: Stream[] = [];
  private lastSelection = "";
  private preferred: Delivery | undefined;
  private readonly stream = new Radios(byId("streams"), (name) => this.pick(name));
  private readonly mode = new Radios(byId("mode"), (mode) => {
    this.prefer(mode === "hls" ? "hls" : "mp4");
  });
  private readonly container = new Radios(byId("container"), (name) =>
    this.prefer(name as Delivery),
  );

  constructor(private readonly onChange: (selection: Selection) => void) {
    addEventListener("hashchange", () => this.update());
  }

  show({ streams, version }: Streams): void {
    this.streams = streams;
    setText(byId("version"), `symcast ${version}`);
    this.update();
  }

  private get current(): Stream | undefined {
    const name = location.hash.slice(1);
    const named = this.streams.find((stream) => encodeURIComponent(stream.name) === name);
    return named ?? this.streams[0];
  }

  private delivery(stream: Stream): Delivery {
    const all = playable(stream);
    const preferred = this.preferred ?? (recall(kStorageKey) as Delivery);
    return all.includes(preferred) ? preferred : (all[0] ?? "mp4");
  }

  private pick(name: string): void {
    location.hash = encodeURIComponent(name);
  }

  private prefer(delivery: Delivery): void {
    this.preferred = delivery;
    remember(kStorageKey, delivery);
    this.update();
  }

  private update(): void {
    const stream = this.current;
    if (!stream) return;
    const delivery = this.delivery(stream);
    this.stream.show(
      this.streams.map(({ name, state }) => ({
        value: name,
        text: state === "playing" ? name : `${name} (offline)`,
      })),
      stream.name,
    );
    this.showDelivery(stream, delivery);
    document.title = `${stream.name} · symcast`;
    const now = JSON.stringify([stream.name, delivery]);
    if (now === this.lastSelection) return;
    this.lastSelection = now;
    this.showLinks(stream);
    this.onChange({ stream: stream.name, delivery });
  }

  private showDelivery(stream: Stream, delivery: Delivery): void {
    const all = playable(stream);
    const progressive = all.filter((d) => d !== "hls");
    const modes = [
      { value: "low", text: "Low latency", title: "One HTTP response that does not end" },
      { value: "hls", text: "HLS", title: "Low-latency HLS: segments and parts" },
    ].filter(({ value }) => (value === "hls" ? all.includes("hls") : progressive.length > 0));
    this.mode.show(modes, delivery === "hls" ? "hls" : "low");
    this.container.show(
      progressive.map((value) => ({ value, text: kContainers[value] ?? value })),
      delivery,
    );
    byId("container").classList.toggle("off", delivery === "hls" || progressive.length === 0);
    byId<HTMLFieldSetElement>("container").disabled = delivery === "hls";
  }

  private showLinks(stream: Stream): void {
    const links = stream.formats.map((format) =>
      make("a", { href: pathOf(stream.name, format) }, kLinkNames[format] ?? format),
    );
    byId("links").replaceChildren(...links.flatMap((link) => [link, " "]));
  }
}

import type { Stream, Streams } from "../api/types";
import { byId, make, setText } from "../dom";
import { Radios } from "../radios";
import { recall, remember } from "../stored";
import { addressOf, type Delivery, playable } from "./delivery";

const kStorageKey = "symcast.delivery";
const kContainers: Record<string, string> = { mp4: "MP4", flv: "FLV" };
const kLinkNames: Record<string, string> = {
  ts: ".ts",
  flv: ".flv",
  mp4: ".mp4",
  hls: "HLS",
  dash: "DASH",
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no stream has such a name
  }
}

export interface Selection {
  stream: string;
  delivery: Delivery;
}

/** The user's choice of stream and delivery. The stream's name is the URL's last part ("/live"), which
 * shows no others, or the fragment ("/#live"), so that links can select it. Without a name, the first
 * stream of the configuration that plays is chosen. */
export class Chooser {
  private streams: Stream[] = [];
  private lastSelection = "";
  private automatic = "";
  private readonly fixed = decoded(location.pathname.split("/").at(-1) ?? "");
  private preferred: Delivery | undefined;
  private title = "symcast";
  private readonly tabs = new Radios(byId("streams"), (name) => this.pick(name));
  private readonly mode = new Radios(byId("mode"), (mode) => {
    this.prefer(mode === "hls" ? "hls" : "mp4");
  });
  private readonly container = new Radios(byId("container"), (name) =>
    this.prefer(name as Delivery),
  );

  constructor(
    private readonly onChange: (selection: Selection) => void,
    private readonly onUnknown: (stream: string) => void,
  ) {
    addEventListener("hashchange", () => this.update());
  }

  show({ streams, version, page }: Streams): void {
    this.streams = streams;
    this.title = page.title;
    setText(byId("version"), `symcast ${version}`);
    this.update();
  }

  /** The name in the URL; empty without one. */
  private get named(): string {
    return this.fixed !== "" ? this.fixed : decoded(location.hash.slice(1));
  }

  get current(): Stream | undefined {
    const find = (wanted: string) => this.streams.find(({ name }) => name === wanted);
    if (this.named !== "") return find(this.named);
    const best = this.streams.find(({ state }) => state === "playing") ?? this.streams[0];
    const before = find(this.automatic);
    const chosen = before && before.last_picture !== null ? before : best;
    this.automatic = chosen?.name ?? "";
    return chosen;
  }

  private delivery(stream: Stream): Delivery {
    const all = playable(stream);
    const preferred = this.preferred ?? (recall(kStorageKey) as Delivery);
    return all.includes(preferred) ? preferred : (all[0] ?? "mp4");
  }

  private pick(name: string): void {
    if (this.fixed === "") location.hash = encodeURIComponent(name);
    else location.href = `./${location.search}#${encodeURIComponent(name)}`;
  }

  private prefer(delivery: Delivery): void {
    this.preferred = delivery;
    remember(kStorageKey, delivery);
    this.update();
  }

  private update(): void {
    const stream = this.current;
    this.showTabs(stream);
    if (!stream) return this.reject();
    const delivery = this.delivery(stream);
    this.showDelivery(stream, delivery);
    document.title = `${stream.name} · ${this.title}`;
    const now = JSON.stringify([stream.name, delivery]);
    if (now === this.lastSelection) return;
    this.lastSelection = now;
    this.showLinks(stream);
    this.onChange({ stream: stream.name, delivery });
  }

  private reject(): void {
    if (this.lastSelection === this.named) return;
    this.lastSelection = this.named;
    this.onUnknown(this.named);
  }

  private showTabs(chosen: Stream | undefined): void {
    const streams = this.fixed === "" || !chosen ? this.streams : [];
    this.tabs.show(
      streams.map(({ name, state }) => ({
        value: name,
        text: state === "playing" ? name : `${name} (offline)`,
      })),
      chosen?.name ?? "",
    );
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
      make("a", { href: addressOf(stream.name, format) }, kLinkNames[format] ?? format),
    );
    byId("links").replaceChildren(...links.flatMap((link) => [link, " "]));
  }
}

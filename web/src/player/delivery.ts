import type { Format, Stream } from "../api/types";
import type { Engine, Source } from "./engine";
import { Native } from "./native";
import { mediaSource, Progressive } from "./progressive";

/** How a stream comes to the page. Low latency: one response without end. */
export type Delivery = "mp4" | "flv" | "hls";

const kDeliveries: Delivery[] = ["mp4", "flv", "hls"];

export function pathOf(stream: string, format: Format): string {
  const name = encodeURIComponent(stream);
  if (format === "hls") return `/${name}/index.m3u8`;
  if (format === "dash") return `/${name}/manifest.mpd`;
  return `/${name}.${format}`;
}

/** What this browser can play of a stream; MPEG-2 pictures are none. */
export function playable(stream: Stream): Delivery[] {
  if (!stream.formats.includes("mp4")) return [];
  const all = kDeliveries.filter((delivery) => stream.formats.includes(delivery));
  return mediaSource() ? all : all.filter((delivery) => delivery === "hls");
}

/** The libraries come when they are first needed. */
export async function open(
  delivery: Delivery,
  video: HTMLVideoElement,
  stream: Stream,
  roundTrip: () => number,
): Promise<Engine> {
  const source: Source = { video, stream, url: pathOf(stream.name, delivery), roundTrip };
  if (delivery === "mp4") return new Progressive(source);
  if (delivery === "hls") {
    if (!mediaSource() && Native.plays(video)) return new Native(source);
    return new (await import("./segmented")).Segmented(source);
  }
  return new (await import("./remuxed")).Remuxed(source);
}

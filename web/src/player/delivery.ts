import { address } from "../api/address";
import type { Format, Stream } from "../api/types";
import type { Source, StreamEngine } from "./engine";
import { Native } from "./native";
import { mediaSource, Progressive } from "./progressive";

/** How the page receives a stream. mp4 and flv have low latency: one response that does not end. */
export type Delivery = "mp4" | "flv" | "hls";

const kDeliveries: Delivery[] = ["mp4", "flv", "hls"];

export function addressOf(stream: string, format: Format): string {
  const name = encodeURIComponent(stream);
  if (format === "hls") return address(`${name}/index.m3u8`);
  if (format === "dash") return address(`${name}/manifest.mpd`);
  return address(`${name}.${format}`);
}

/** The deliveries of a stream that this browser can play; none for MPEG-2 video. */
export function playable(stream: Stream): Delivery[] {
  if (!stream.formats.includes("mp4")) return [];
  const all = kDeliveries.filter((delivery) => stream.formats.includes(delivery));
  return mediaSource() ? all : all.filter((delivery) => delivery === "hls");
}

/** Loads the player libraries on demand. */
export async function open(
  delivery: Delivery,
  video: HTMLVideoElement,
  stream: Stream,
  roundTrip: () => number,
): Promise<StreamEngine> {
  const source: Source = { video, stream, url: addressOf(stream.name, delivery), roundTrip };
  if (delivery === "mp4") return new Progressive(source);
  if (delivery === "hls") {
    if (!mediaSource() && Native.plays(video)) return new Native(source);
    return new (await import("./segmented")).Segmented(source);
  }
  return new (await import("./remuxed")).Remuxed(source);
}

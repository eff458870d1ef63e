import type { Streams } from "./types";

const kPatience = 4000; // ms

export async function fetchStreams(): Promise<Streams> {
  const answer = await fetch("/api/v1/streams", {
    cache: "no-store",
    signal: AbortSignal.timeout(kPatience),
  });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return (await answer.json()) as Streams;
}

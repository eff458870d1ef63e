import { address } from "./address";
import type { Streams } from "./types";

const kTimeout = 4000; // ms

export async function fetchStreams(): Promise<Streams> {
  const answer = await fetch(address("api/v1/streams"), {
    cache: "no-store",
    signal: AbortSignal.timeout(kTimeout),
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return (await answer.json()) as Streams;
}

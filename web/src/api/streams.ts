import { address } from "./address";
import type { Streams } from "./types";

const kTimeout = 4000; // ms, beside the time for which the server may wait
const kServerWait = 5000; // ms

/** The streams as they are now or, with the `revision` of an earlier list, after the next change. */
export async function fetchStreams(revision?: number, signal?: AbortSignal): Promise<Streams> {
  const url = address("api/v1/streams");
  const after = revision === undefined ? "" : `${url.includes("?") ? "&" : "?"}after=${revision}`;
  const limit = new AbortController(); // Safari before 17.4 has no AbortSignal.any()
  const abort = () => limit.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const timer = setTimeout(
    () => limit.abort(new DOMException("the server does not answer", "TimeoutError")),
    kTimeout + (after === "" ? 0 : kServerWait),
  );
  try {
    const answer = await fetch(url + after, { cache: "no-store", signal: limit.signal });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return (await answer.json()) as Streams;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

import { kMaxSilence } from "../silence";

// ms: while a source connects, the server answers with its first picture, or with an error after
// source.first_picture_wait, 10 s by default.
const kMaxOpening = 15_000;

/** The body of an endless response, for which silence is an error. */
export class Body {
  private timer = 0;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
    private readonly fail: () => void,
  ) {}

  /** undefined at the end of the body. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.timer = setTimeout(this.fail, kMaxSilence);
    try {
      return (await this.reader.read()).value;
    } finally {
      clearTimeout(this.timer);
    }
  }
}

/** Opens the response; if the server refuses, throws its message. */
export async function openStream(url: string, signal: AbortSignal): Promise<Body> {
  const aborted = new AbortController(); // Safari before 17.4 has no AbortSignal.any()
  signal.addEventListener("abort", () => aborted.abort(signal.reason));
  signal.throwIfAborted();
  const fail = () => aborted.abort(new Error("the server sends no data"));
  const timer = setTimeout(fail, kMaxOpening);
  const answer = await fetch(url, { cache: "no-store", signal: aborted.signal });
  clearTimeout(timer);
  if (!answer.ok || !answer.body) {
    const message = (await answer.text()).trim();
    throw new Error(message || `the server answered ${answer.status}`);
  }
  return new Body(answer.body.getReader(), fail);
}

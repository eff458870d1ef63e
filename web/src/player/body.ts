const kLongest = 6000; // ms: a connection that is silent for so long is dead

/** The body of a response, whose silence is an error. */
export class Body {
  private timer = 0;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
    private readonly fail: () => void,
  ) {}

  /** undefined: it has ended. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.timer = setTimeout(this.fail, kLongest);
    try {
      return (await this.reader.read()).value;
    } finally {
      clearTimeout(this.timer);
    }
  }
}

/** Throws the server's own words where it refuses. */
export async function openStream(url: string, signal: AbortSignal): Promise<Body> {
  const over = new AbortController(); // Safari before 17.4 has no AbortSignal.any()
  signal.addEventListener("abort", () => over.abort(signal.reason));
  signal.throwIfAborted();
  const fail = () => over.abort(new Error("nothing comes from the server"));
  const timer = setTimeout(fail, kLongest);
  const answer = await fetch(url, { cache: "no-store", signal: over.signal });
  clearTimeout(timer);
  if (!answer.ok || !answer.body) {
    const words = (await answer.text()).trim();
    throw new Error(words || `the server answers ${answer.status}`);
  }
  return new Body(answer.body.getReader(), fail);
}

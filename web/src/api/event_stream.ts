import { Backoff } from "../backoff";

type Listeners = Record<string, (data: never) => void>;

const kLongest = 6000; // ms: what is silent for so long is dead

/** Server-sent events of JSON, by name: several per second. */
export class EventStream {
  private readonly source: EventSource;
  private silence = 0; // timer

  /** `over`: it has ended, or could not be had. */
  constructor(
    url: string,
    listeners: Listeners,
    private readonly over: () => void,
  ) {
    this.source = new EventSource(url);
    this.source.onerror = () => this.end();
    for (const [name, listener] of Object.entries(listeners)) {
      this.source.addEventListener(name, (event) => {
        this.listen();
        listener(JSON.parse((event as MessageEvent<string>).data) as never);
      });
    }
    this.listen();
  }

  close(): void {
    clearTimeout(this.silence);
    this.source.close();
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.end(), kLongest);
  }

  private end(): void {
    this.close();
    this.over();
  }
}

/** One that is connected again and again. */
export class LastingStream {
  private readonly backoff = new Backoff();
  private stream: EventStream | undefined;
  private timer = 0;

  /** `lost`: it will be connected again. */
  constructor(
    private readonly url: string,
    private readonly listeners: Listeners,
    private readonly lost: () => void,
  ) {
    this.open();
  }

  close(): void {
    clearTimeout(this.timer);
    this.stream?.close();
  }

  private open(): void {
    const opened = performance.now();
    this.stream = new EventStream(this.url, this.listeners, () => {
      this.lost();
      const wait = this.backoff.next(performance.now() - opened);
      this.timer = setTimeout(() => this.open(), wait);
    });
  }
}

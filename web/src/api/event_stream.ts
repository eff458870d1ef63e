import { Backoff } from "../backoff";
import { kMaxSilence } from "../silence";
import { address } from "./address";

type Listeners = Record<string, (data: never) => void>;

/** Server-sent events with JSON data, which arrive several times per second. */
export class EventStream {
  private readonly source: EventSource;
  private silenceTimer = 0;

  /** `onEnd`: the stream has ended or could not be opened. */
  constructor(
    path: string,
    listeners: Listeners,
    private readonly onEnd: () => void,
  ) {
    this.source = new EventSource(address(path));
    this.source.onerror = () => this.end();
    for (const [name, listener] of Object.entries(listeners)) {
      this.source.addEventListener(name, (event) => {
        this.restartSilenceTimer();
        listener(JSON.parse((event as MessageEvent<string>).data) as never);
      });
    }
    this.restartSilenceTimer();
  }

  close(): void {
    clearTimeout(this.silenceTimer);
    this.source.close();
  }

  private restartSilenceTimer(): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.end(), kMaxSilence);
  }

  private end(): void {
    this.close();
    this.onEnd();
  }
}

/** An event stream that reconnects whenever it ends. */
export class ReconnectingEventStream {
  private readonly backoff = new Backoff();
  private stream: EventStream | undefined;
  private timer = 0;

  /** `onLost`: the stream has ended and will reconnect. */
  constructor(
    private readonly path: string,
    private readonly listeners: Listeners,
    private readonly onLost: () => void,
  ) {
    this.open();
  }

  close(): void {
    clearTimeout(this.timer);
    this.stream?.close();
  }

  private open(): void {
    const opened = performance.now();
    this.stream = new EventStream(this.path, this.listeners, () => {
      this.onLost();
      const wait = this.backoff.next(performance.now() - opened);
      this.timer = setTimeout(() => this.open(), wait);
    });
  }
}

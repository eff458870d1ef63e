import { Backoff } from "../backoff";
import { fetchStreams } from "./streams";
import type { Streams } from "./types";

const kQuickAnswer = 2000; // ms: an answer that comes sooner may be one of many
const kFreeAnswers = 4; // quick ones in succession: sources that stop and return together
const kFirstGap = 500; // ms between a quick answer and the next request, after the free ones
const kMaxGap = 5000; // ms: a source that comes and goes must not make all pages load the server
const kLeaderSilence = 7000; // ms, after which another page asks: the server answers within 5 s
const kSpread = 1000; // ms, at random: so that one page of many is the first to ask

interface Message {
  from: number;
  streams?: Streams; // missing when the page stops asking
}

/** Keeps the list of streams up to date: each request waits on the server for the next change. Browsers
 * open six connections to a server, so of all visible pages in one browser only one asks and tells the
 * others. */
export class StreamWatch {
  private readonly id = Math.random();
  private readonly channel = new BroadcastChannel(`symcast ${new URL(".", location.href).pathname}`);
  private readonly backoff = new Backoff();
  private revision: number | undefined;
  private request: AbortController | undefined;
  private quick = 0; // quick answers in succession
  private timer = 0;

  constructor(
    private readonly onStreams: (streams: Streams) => void,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.hear(data);
    document.addEventListener("visibilitychange", () => this.onVisibility());
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", ({ persisted }) => persisted && this.onVisibility());
    void this.ask();
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    if (document.hidden) return;
    const request = new AbortController();
    this.request?.abort();
    this.request = request;
    const asked = performance.now();
    const lasted = () => performance.now() - asked;
    try {
      const streams = await fetchStreams(this.revision, request.signal);
      if (request.signal.aborted) return;
      this.tell({ from: this.id, streams });
      this.accept(streams);
      this.askAfter(this.nextGap(lasted()));
    } catch (error) {
      if (request.signal.aborted) return;
      this.onFailure(error);
      this.askAfter(this.backoff.next(lasted()));
    }
  }

  private askAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), ms);
  }

  /** None after a quiet time; later more and more. */
  private nextGap(lasted: number): number {
    this.quick = lasted < kQuickAnswer ? this.quick + 1 : 0;
    const late = this.quick - kFreeAnswers;
    return late > 0 ? Math.min(kMaxGap, kFirstGap * 2 ** (late - 1)) : 0;
  }

  private accept(streams: Streams): void {
    this.revision = streams.revision;
    this.onStreams(streams);
  }

  private tell(message: Message): void {
    this.channel.postMessage(message);
  }

  /** The page with the smallest number goes on asking. */
  private hear({ from, streams }: Message): void {
    if (document.hidden || (this.request && from > this.id && streams)) return;
    if (!streams) {
      if (!this.request) this.askAfter(Math.random() * kSpread);
      return;
    }
    this.request?.abort();
    this.request = undefined;
    this.accept(streams);
    this.askAfter(kLeaderSilence + Math.random() * kSpread);
  }

  private onVisibility(): void {
    if (document.hidden) return this.stop();
    this.revision = undefined; // the list may be old
    void this.ask();
  }

  private stop(): void {
    clearTimeout(this.timer);
    if (this.request) this.tell({ from: this.id });
    this.request?.abort();
    this.request = undefined;
  }
}

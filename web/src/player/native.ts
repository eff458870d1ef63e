import { type Engine, play, type Source, unlessOver } from "./engine";

type DatedVideo = HTMLVideoElement & { getStartDate?: () => Date };

/** HLS where the element plays it by itself. */
export class Native implements Engine {
  private readonly over = new AbortController();

  constructor(private readonly source: Source) {}

  static plays(video: HTMLVideoElement): boolean {
    return video.canPlayType("application/vnd.apple.mpegurl") !== "";
  }

  async run(): Promise<void> {
    const { video, url } = this.source;
    const { signal } = this.over;
    const ended = new Promise<void>((resolve) => {
      video.addEventListener("ended", () => resolve(), { signal });
    });
    video.src = url;
    play(video);
    await unlessOver(ended, video, signal);
  }

  zero(): number | undefined {
    const date = (this.source.video as DatedVideo).getStartDate?.().getTime();
    return date === undefined || Number.isNaN(date) ? undefined : date;
  }

  received(): undefined {
    return undefined;
  }

  halt(): void {
    this.over.abort();
  }

  close(): void {
    this.source.video.removeAttribute("src");
  }
}

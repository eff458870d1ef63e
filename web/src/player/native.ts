import { play, StreamEngine } from "./engine";

type DatedVideo = HTMLVideoElement & { getStartDate?: () => Date };

/** HLS played by the browser itself. */
export class Native extends StreamEngine {
  static plays(video: HTMLVideoElement): boolean {
    return video.canPlayType("application/vnd.apple.mpegurl") !== "";
  }

  mediaEpoch(): number | undefined {
    const date = (this.source.video as DatedVideo).getStartDate?.().getTime();
    return date === undefined || Number.isNaN(date) ? undefined : date;
  }

  override received(): undefined {
    return undefined;
  }

  protected play(): Promise<void> {
    const { video, url } = this.source;
    const { signal } = this.halted;
    const ended = new Promise<void>((resolve) => {
      video.addEventListener("ended", () => resolve(), { signal });
    });
    video.src = url;
    play(video);
    return ended;
  }
}

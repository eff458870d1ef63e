import { byId, setText } from "../dom";
import type { PlayerState } from "./player";

const kPatience = 300; // ms: a shorter wait is not worth a word

const kWords: Record<PlayerState["phase"], string> = {
  connecting: "Connecting",
  playing: "",
  waiting: "Connecting again",
  paused: "Paused",
  away: "Paused while nobody looked",
  unplayable: "Cannot be played here",
};

/** What lies over the picture: how it stands with it, and the last one while another comes. */
export class Screen {
  private readonly screen = byId("screen");
  private readonly message = byId("message");
  private readonly still = byId<HTMLCanvasElement>("still");
  private timer = 0;
  private waiting = 0;

  constructor(private readonly video: HTMLVideoElement) {
    video.addEventListener("waiting", () => this.wait());
    for (const type of ["playing", "timeupdate"]) {
      video.addEventListener(type, () => this.waitOver());
    }
  }

  show({ phase, reason }: PlayerState): void {
    this.screen.dataset["phase"] = phase;
    const again = phase === "connecting" && reason !== "";
    const word = kWords[again ? "waiting" : phase];
    setText(byId("badge-text"), phase === "playing" ? "Live" : word);
    clearTimeout(this.timer);
    const words = [word, reason].filter((part) => part !== "").join(": ");
    const calm = phase === "playing" || phase === "paused";
    if (calm) setText(this.message, "");
    else this.timer = setTimeout(() => setText(this.message, words), kPatience);
  }

  /** The picture of now stays in sight until another comes. */
  hold(): void {
    const { videoWidth: width, videoHeight: height } = this.video;
    const context = this.still.getContext("2d");
    if (width === 0 || !context) return;
    this.still.width = width;
    this.still.height = height;
    context.drawImage(this.video, 0, 0);
  }

  private wait(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.screen.classList.add("stalled"), kPatience);
  }

  private waitOver(): void {
    clearTimeout(this.waiting);
    this.screen.classList.remove("stalled");
  }
}

import { byId, setText } from "../dom";
import type { PlayerState } from "./player";

const kMessageDelay = 300; // ms: shorter waits show no message

const kPhaseTexts: Record<PlayerState["phase"], string> = {
  connecting: "Connecting",
  playing: "",
  waiting: "Reconnecting",
  paused: "Paused",
  suspended: "Paused while the tab was hidden",
  unplayable: "Cannot play",
};

/** The layers over the video: status messages, and the last picture during a reconnection. */
export class Screen {
  private readonly screen = byId("screen");
  private readonly message = byId("message");
  private readonly still = byId<HTMLCanvasElement>("still");
  private messageTimer = 0;
  private stallTimer = 0;

  constructor(private readonly video: HTMLVideoElement) {
    video.addEventListener("waiting", () => this.onStall());
    for (const type of ["playing", "timeupdate"]) {
      video.addEventListener(type, () => this.onStallEnd());
    }
  }

  show({ phase, reason }: PlayerState): void {
    this.screen.dataset["phase"] = phase;
    const reconnecting = phase === "connecting" && reason !== "";
    const text = kPhaseTexts[reconnecting ? "waiting" : phase];
    setText(byId("badge-text"), phase === "playing" ? "Live" : text);
    clearTimeout(this.messageTimer);
    const message = [text, reason].filter((part) => part !== "").join(": ");
    const silent = phase === "playing" || phase === "paused";
    if (silent) setText(this.message, "");
    else this.messageTimer = setTimeout(() => setText(this.message, message), kMessageDelay);
  }

  /** Keeps the current picture visible until the next connection plays. */
  freeze(): void {
    const { videoWidth: width, videoHeight: height } = this.video;
    const context = this.still.getContext("2d");
    if (width === 0 || !context) return;
    this.still.width = width;
    this.still.height = height;
    context.drawImage(this.video, 0, 0);
  }

  private onStall(): void {
    clearTimeout(this.stallTimer);
    this.stallTimer = setTimeout(() => this.screen.classList.add("stalled"), kMessageDelay);
  }

  private onStallEnd(): void {
    clearTimeout(this.stallTimer);
    this.screen.classList.remove("stalled");
  }
}

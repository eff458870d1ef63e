import { byId } from "../dom";
import type { Player } from "./player";

function setIcon(button: HTMLElement, name: string, label: string): void {
  button.querySelector("use")?.setAttribute("href", `#icon-${name}`);
  if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
}

/** By which the arrow keys change the volume, of 1, while the player has the focus. */
const kVolumeStep: Record<string, number> = { ArrowUp: 0.1, ArrowDown: -0.1 };

/** The buttons over the video and their keyboard shortcuts. */
export class Controls {
  private readonly screen = byId("screen");
  /** On iPhones only the video element itself can go full screen. */
  private readonly video: HTMLVideoElement & { webkitEnterFullscreen?: () => void };
  private readonly volume = byId<HTMLInputElement>("volume");

  constructor(private readonly player: Player) {
    this.video = player.video;
    byId("play").addEventListener("click", () => this.togglePlay());
    byId("start").addEventListener("click", () => this.player.start());
    byId("mute").addEventListener("click", () => this.toggleSound());
    byId("sound").addEventListener("click", () => this.toggleSound());
    byId("fullscreen").addEventListener("click", () => this.toggleFullscreen());
    byId("pip").addEventListener("click", () => this.togglePictureInPicture());
    byId("pip").hidden = !document.pictureInPictureEnabled;
    this.volume.addEventListener("input", () => this.setVolume(this.volume.valueAsNumber));
    this.video.addEventListener("dblclick", () => this.toggleFullscreen());
    this.video.addEventListener("volumechange", () => this.show());
    document.addEventListener("keydown", (event) => this.key(event));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault(); // the fragment of the URL names the stream
      this.video.focus();
    });
  }

  show(): void {
    const { phase } = this.player;
    const silent = this.video.muted || this.video.volume === 0;
    const stopped = phase === "paused" || phase === "unplayable";
    setIcon(byId("play"), stopped ? "play" : "pause", stopped ? "Play" : "Pause");
    setIcon(byId("mute"), silent ? "muted" : "loud", silent ? "Unmute" : "Mute");
    byId("sound").hidden = !silent || !this.player.hasAudio || phase !== "playing";
    byId("start").hidden = phase !== "paused";
    this.volume.valueAsNumber = this.video.muted ? 0 : this.video.volume;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === " " && target.closest("button, a, input") !== null) return;
    const step = kVolumeStep[event.key];
    // Elsewhere they scroll the page, and the slider has arrow keys of its own.
    if (step !== undefined && this.screen.contains(target) && target !== this.volume) {
      event.preventDefault();
      this.stepVolume(step);
      return;
    }
    const action = this.actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private readonly actions: Record<string, () => void> = {
    " ": () => this.togglePlay(),
    k: () => this.togglePlay(),
    m: () => this.toggleSound(),
    f: () => this.toggleFullscreen(),
    p: () => this.togglePictureInPicture(),
  };

  private togglePlay(): void {
    if (this.player.phase === "paused" || this.player.phase === "unplayable") this.player.start();
    else this.player.pause();
  }

  private toggleSound(): void {
    const silent = this.video.muted || this.video.volume === 0;
    this.video.muted = !silent;
    if (silent && this.video.volume === 0) this.video.volume = 1;
  }

  private setVolume(volume: number): void {
    this.video.volume = volume;
    this.video.muted = volume === 0;
  }

  private stepVolume(step: number): void {
    const volume = this.video.muted ? 0 : this.video.volume;
    this.setVolume(Math.min(1, Math.max(0, volume + step)));
  }

  private toggleFullscreen(): void {
    if (!document.fullscreenEnabled) return this.video.webkitEnterFullscreen?.();
    const done = document.fullscreenElement
      ? document.exitFullscreen()
      : this.screen.requestFullscreen();
    done.catch(() => undefined); // the browser does not allow it
  }

  private togglePictureInPicture(): void {
    if (!document.pictureInPictureEnabled) return;
    const done: Promise<unknown> = document.pictureInPictureElement
      ? document.exitPictureInPicture()
      : this.video.requestPictureInPicture();
    done.catch(() => undefined);
  }
}

import { byId } from "../dom";
import type { Player } from "./player";

function icon(button: HTMLElement, name: string, label: string): void {
  button.querySelector("use")?.setAttribute("href", `#icon-${name}`);
  if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
}

/** Buttons of the screen, and the keys that stand for them. */
export class Controls {
  private readonly screen = byId("screen");
  /** On iPhones only the element itself fills the screen. */
  private readonly video: HTMLVideoElement & { webkitEnterFullscreen?: () => void };
  private readonly volume = byId<HTMLInputElement>("volume");

  constructor(private readonly player: Player) {
    this.video = player.video;
    byId("play").addEventListener("click", () => this.togglePlay());
    byId("start").addEventListener("click", () => this.player.start());
    byId("mute").addEventListener("click", () => this.toggleSound());
    byId("sound").addEventListener("click", () => this.toggleSound());
    byId("full").addEventListener("click", () => this.toggleFull());
    byId("window").addEventListener("click", () => this.toggleWindow());
    byId("window").hidden = !document.pictureInPictureEnabled;
    this.volume.addEventListener("input", () => this.setVolume(this.volume.valueAsNumber));
    this.video.addEventListener("dblclick", () => this.toggleFull());
    this.video.addEventListener("volumechange", () => this.show());
    document.addEventListener("keydown", (event) => this.key(event));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault(); // the address's fragment is the stream
      this.video.focus();
    });
  }

  show(): void {
    const { phase } = this.player;
    const silent = this.video.muted || this.video.volume === 0;
    const stopped = phase === "paused" || phase === "unplayable";
    icon(byId("play"), stopped ? "play" : "pause", stopped ? "Play" : "Pause");
    icon(byId("mute"), silent ? "muted" : "loud", silent ? "Turn the sound on" : "Turn the sound off");
    byId("sound").hidden = !silent || !this.player.hasSound || phase !== "playing";
    byId("start").hidden = phase !== "paused";
    this.volume.valueAsNumber = this.video.muted ? 0 : this.video.volume;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target as HTMLElement;
    if (event.key === " " && at.closest("button, a, input") !== null) return;
    const action = this.actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private readonly actions: Record<string, () => void> = {
    " ": () => this.togglePlay(),
    k: () => this.togglePlay(),
    m: () => this.toggleSound(),
    f: () => this.toggleFull(),
    p: () => this.toggleWindow(),
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

  private toggleFull(): void {
    if (!document.fullscreenEnabled) return this.video.webkitEnterFullscreen?.();
    const done = document.fullscreenElement
      ? document.exitFullscreen()
      : this.screen.requestFullscreen();
    done.catch(() => undefined); // the browser does not allow it
  }

  private toggleWindow(): void {
    if (!document.pictureInPictureEnabled) return;
    const done: Promise<unknown> = document.pictureInPictureElement
      ? document.exitPictureInPicture()
      : this.video.requestPictureInPicture();
    done.catch(() => undefined);
  }
}

const kPatience = 30_000; // ms: a look at another tab and back costs nothing

function isInSight(): boolean {
  return !document.hidden || document.pictureInPictureElement !== null;
}

/** Whether somebody looks: false when the tab has been hidden for a while. */
export class Presence {
  private timer = 0;
  private away = false;

  /** `changed(false)`: gone; `changed(true)`: back. */
  constructor(private readonly changed: (here: boolean) => void) {
    for (const type of ["visibilitychange", "enterpictureinpicture", "leavepictureinpicture"]) {
      document.addEventListener(type, () => this.update());
    }
    this.update();
  }

  private update(): void {
    clearTimeout(this.timer);
    if (isInSight()) this.set(false);
    else this.timer = setTimeout(() => this.set(true), kPatience);
  }

  private set(away: boolean): void {
    if (away === this.away) return;
    this.away = away;
    this.changed(!away);
  }
}

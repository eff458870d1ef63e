const kPatience = 30_000; // ms: a look at another tab and back costs nothing

/** Whether somebody looks: false when the tab has been hidden for a while. */
export class Presence {
  private timer = 0;
  private away = false;

  /** `changed(false)`: gone; `changed(true)`: back. */
  constructor(private readonly changed: (here: boolean) => void) {
    document.addEventListener("visibilitychange", () => this.update());
    this.update();
  }

  private update(): void {
    clearTimeout(this.timer);
    if (document.hidden) this.timer = setTimeout(() => this.set(true), kPatience);
    else this.set(false);
  }

  private set(away: boolean): void {
    if (away === this.away) return;
    this.away = away;
    this.changed(!away);
  }
}

const kHiddenDelay = 30_000; // ms: a short look at another tab does not interrupt the stream

function isVisible(): boolean {
  return !document.hidden || document.pictureInPictureElement !== null;
}

/** Whether the user can see the page: false once its tab has been hidden for a while. */
export class PageVisibility {
  private timer = 0;
  private visible = true;

  constructor(private readonly onChange: (visible: boolean) => void) {
    for (const type of ["visibilitychange", "enterpictureinpicture", "leavepictureinpicture"]) {
      document.addEventListener(type, () => this.update());
    }
    this.update();
  }

  private update(): void {
    clearTimeout(this.timer);
    if (isVisible()) this.set(true);
    else this.timer = setTimeout(() => this.set(false), kHiddenDelay);
  }

  private set(visible: boolean): void {
    if (visible === this.visible) return;
    this.visible = visible;
    this.onChange(visible);
  }
}

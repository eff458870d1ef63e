const kFew = 3; // frames between two readings: the server repeats the last one five times per second

/** Whether the video moves. Call moves() twice per second. */
export class Motion {
  private frames = 0;

  constructor(private readonly video: HTMLVideoElement) {}

  /** False if few new pictures, or none, were shown since the last call. */
  moves(): boolean {
    const { totalVideoFrames } = this.video.getVideoPlaybackQuality();
    const more = totalVideoFrames - this.frames;
    this.frames = totalVideoFrames;
    return more > kFew || more < 0;
  }
}

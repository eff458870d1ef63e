import type { Stream } from "../api/types";
import { byId, setText } from "../dom";
import type { PlayerState } from "./player";

const kMessageDelay = 300; // ms: shorter waits show no message

/** By the words of the API. */
const kTroubleTexts: Record<string, string> = {
  wrong_data: "A sender is sending data that is not a stream.",
  scrambled: "The source is encrypted.",
  no_data: "The source sends nothing yet.",
  no_video: "The source sends nothing that can be decoded.",
  no_keyframe: "Waiting for the source's first keyframe.",
  audio_only: "The source sends only audio.",
  audio_no_decoder: "The source's audio cannot be decoded here.",
  audio_broken: "The source's audio has errors and cannot be decoded.",
  audio_replaced: "The source's main audio is missing; this is another track.",
  too_fast: "The source sends more pictures than can be used.",
  audio_off: "The source's audio and video are too far apart in time.",
};
const kPoorText =
  "The connection carries little more than the audio. The picture pauses, and returns by itself.";
const kPhaseTexts: Record<PlayerState["phase"], string> = {
  connecting: "Connecting",
  playing: "",
  waiting: "Reconnecting",
  paused: "Paused",
  suspended: "Paused while the tab was hidden",
  unplayable: "Cannot play",
};

/** In the viewer's own format; with the date unless it is today. */
function local(time: string): string {
  const date = new Date(time);
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

function awayText({ state, last_picture }: Stream, since: string): string {
  const connected = state === "stalled" ? ", but is still connected" : "";
  const last = last_picture ? `Last picture: ${local(last_picture)}.` : "No picture has come yet.";
  return `The source has been away since ${local(since)}${connected}.\n${last}`;
}

/** The layers over the video: status messages, and the last picture during a reconnection. */
export class Screen {
  /** The source is away: the server repeats its last picture, if there was one, which would look live. */
  away = false;
  private absent = false; // it is away, and there was no picture
  private poor = false; // the connection
  private notes: string[] = []; // on the source
  private phase: PlayerState["phase"] = "connecting";
  private phaseText = kPhaseTexts.connecting;
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

  /** `foreign`: the picture on the screen is of another stream. It stays until there is a message. */
  show({ phase, reason }: PlayerState, foreign: boolean): void {
    this.screen.dataset["phase"] = phase;
    const reconnecting = phase === "connecting" && reason !== "";
    const text = kPhaseTexts[reconnecting ? "waiting" : phase];
    this.phase = phase;
    this.phaseText = text;
    this.showNotes();
    clearTimeout(this.messageTimer);
    const message = [text, reason].filter((part) => part !== "").join(": ");
    const silent = phase === "playing" || phase === "paused";
    if (silent) this.say("", false);
    else this.messageTimer = setTimeout(() => this.say(message, foreign), kMessageDelay);
  }

  showSource(stream: Stream | undefined): void {
    const notes = (stream?.troubles ?? []).map((trouble) => kTroubleTexts[trouble] ?? trouble);
    this.away = typeof stream?.away_since === "string";
    if (stream?.away_since) notes.unshift(awayText(stream, stream.away_since));
    this.absent = this.away && stream?.last_picture === null;
    this.screen.classList.toggle("away", this.away);
    this.screen.classList.toggle("absent", this.absent);
    this.notes = notes;
    this.showNotes();
  }

  /** The server pauses the picture for the audio. */
  showPoor(poor: boolean): void {
    this.poor = poor;
    this.showNotes();
  }

  private showNotes(): void {
    const poor = this.poor && !this.away && this.phase === "playing";
    const notes = poor ? [kPoorText, ...this.notes] : this.notes;
    const note = byId("away");
    note.hidden = notes.length === 0;
    setText(note, notes.join("\n"));
    this.showBadge();
  }

  /** The note on a source without a picture may be wrong by now; the player's message says more. */
  loseServer(): void {
    if (this.absent) this.showSource(undefined);
  }

  private showBadge(): void {
    let text = this.phaseText;
    if (this.phase === "playing" || this.absent) {
      text = this.away ? "Away" : this.poor ? "Poor connection" : "Live";
    }
    setText(byId("badge-text"), text);
  }

  private say(message: string, foreign: boolean): void {
    setText(this.message, message);
    this.screen.classList.toggle("foreign", foreign);
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

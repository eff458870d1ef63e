/** The policies' reasons (abr::Reason) in words. */
const kWords: Record<string, string> = {
  start: "first rate",
  hold: "nothing has changed",
  rexmt: "retransmission timer expired",
  dupack: "loss, seen by duplicate acknowledgements",
  restore: "quiet long enough: one step up",
  capacity: "what the path carries",
  backlog: "what waits has to drain",
  step: "one step up, to be verified",
  members: "what the group's viewers sustain",
  move_down: "cannot sustain its group",
  move_up: "sustains a better group",
  shed: "the encoders are behind",
  asked: "the player chose it",
};

export function words(reason: string): string {
  return kWords[reason] ?? reason;
}

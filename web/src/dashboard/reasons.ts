/** The policies' reasons (abr::Reason) as text. */
const kReasonTexts: Record<string, string> = {
  start: "initial rate",
  hold: "no change",
  rexmt: "retransmission timeout",
  dupack: "loss reported by duplicate ACKs",
  restore: "no congestion for a while: one step up",
  capacity: "follows the path's capacity",
  backlog: "lowered until the backlog has drained",
  step: "one step up as a trial",
  members: "follows the rate that the group's viewers sustain",
  move_down: "cannot sustain the group's rate: moved down",
  move_up: "sustains a faster group: moved up",
  shed: "encoders overloaded: group closed",
  merged: "another group has nearly the same rate: moved there",
  requested: "chosen by the player",
  limits: "limits changed by the operator",
  reader: "limited to the rate at which the player reads",
};

export function describeReason(reason: string): string {
  return kReasonTexts[reason] ?? reason;
}

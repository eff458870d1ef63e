import type { State, Viewer } from "../api/types";
import type { Player } from "../player/player";

const kApart = 1; // second: what may lie between our request and the server's answer

/** The viewer that this very page is: what plays the same, calls itself the same and is as old. */
export function ownViewer(state: State, player: Player): number | undefined {
  const { stream, delivery } = player.chosen;
  if (player.phase !== "playing") return undefined;
  const age = (performance.now() - player.asked) / 1000;
  const apart = (viewer: Viewer) => Math.abs(state.at - viewer.connected - age);
  const own = state.viewers
    .filter((viewer) => viewer.stream === stream && viewer.format === delivery)
    .filter((viewer) => navigator.userAgent.startsWith(viewer.user_agent))
    .filter((viewer) => apart(viewer) < kApart)
    .sort((a, b) => apart(a) - apart(b));
  return own[0]?.id;
}

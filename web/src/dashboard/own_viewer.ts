import type { State, Viewer } from "../api/types";
import type { Player } from "../player/player";

const kMaxAgeDifference = 1; // seconds between the page's request and the server's record of it

/** The id of this page's own viewer, recognized by stream, delivery, User-Agent and age. */
export function ownViewer(state: State, player: Player): number | undefined {
  const { stream, delivery } = player.chosen;
  if (player.phase !== "playing") return undefined;
  const age = (performance.now() - player.requestedAt) / 1000;
  const ageDifference = (viewer: Viewer) => Math.abs(state.at - viewer.connected - age);
  const own = state.viewers
    .filter((viewer) => viewer.stream === stream && viewer.format === delivery)
    .filter((viewer) => navigator.userAgent.startsWith(viewer.user_agent))
    .filter((viewer) => ageDifference(viewer) < kMaxAgeDifference)
    .sort((a, b) => ageDifference(a) - ageDifference(b));
  return own[0]?.id;
}

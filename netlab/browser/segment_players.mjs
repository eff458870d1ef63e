// Stock players for HLS and DASH, in an otherwise empty page. `noted` collects their errors and
// their requests for video segments.
import { join } from "node:path";

const kLibraries = {
  hls: "hls.js/dist/hls.min.js",
  dash: "dashjs/dist/modern/umd/dash.all.min.js",
};

/** In the page: leaves one video element and nothing else. */
function clear() {
  document.body.innerHTML = "<video muted autoplay></video>";
  window.noted = { errors: [], notes: [] };
}

function playHls({ url, settings }) {
  const { errors, notes } = window.noted;
  const hls = new Hls({ lowLatencyMode: true, ...settings });
  hls.on(Hls.Events.ERROR, (_, { details, fatal, type }) => {
    errors.push({ details, fatal });
    // As hls.js advises pages to do (its API.md, "Fatal Error Recovery").
    if (fatal && type === Hls.ErrorTypes.NETWORK_ERROR) setTimeout(() => hls.startLoad(), 1000);
  });
  hls.on(Hls.Events.FRAG_LOADING, (_, { frag }) => {
    if (frag.type === "main") notes.push({ at: performance.now(), level: frag.level });
  });
  hls.loadSource(url);
  hls.attachMedia(document.querySelector("video"));
}

function playDash({ url, settings }) {
  const { errors, notes } = window.noted;
  const player = dashjs.MediaPlayer().create();
  player.updateSettings({ streaming: { applyContentSteering: false } });
  player.updateSettings({ streaming: settings });
  player.on("error", ({ error }) => errors.push({ details: error.message, fatal: true }));
  player.on("fragmentLoadingStarted", ({ mediaType, request }) => {
    if (mediaType !== "video" || request.type !== "MediaSegment") return;
    const { id, bandwidth } = request.representation;
    notes.push({ at: performance.now(), level: id, bandwidth, url: request.url });
  });
  player.initialize(document.querySelector("video"), new URL(url, location.href).href, true);
}

/** `player` is "hls" or "dash"; `settings` are those of hls.js, or of dash.js' streaming. */
export async function play(page, { player, url, settings = {} }) {
  await page.waitForLoadState();
  await page.evaluate(clear);
  await page.addScriptTag({ path: join(process.env.MODULES, "node_modules", kLibraries[player]) });
  await page.evaluate(player === "hls" ? playHls : playDash, { url, settings });
}

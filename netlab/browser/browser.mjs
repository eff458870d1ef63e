// Chromium, remote-controlled: `node browser.mjs` reads one JSON object per line, such as
// {"page": 0, "step": "evaluate", "expression": "1 + 1"}, and answers each with a line
// {"result": 2} or {"error": "..."}. It ends at the end of its input. MODULES: a folder that has
// playwright-core.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { installReader } from "./picture.mjs";
import { kSteps } from "./steps.mjs";

const { chromium } = createRequire(join(process.env.MODULES, "/"))("playwright-core");

const kStepTimeout = 60_000; // ms: longer than any wait within a step

// Chromium makes no requests of its own, and video and audio need no hardware.
const kArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--autoplay-policy=no-user-gesture-required",
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: kArguments });
const visits = []; // each has a page, and what was seen since it was opened

/** Opens a page in a context of its own; returns its number. The page may still be loading. */
async function open({ url, viewport, colours, touch, delivery }) {
  const context = await browser.newContext({
    viewport: viewport ?? { width: 1280, height: 900 },
    colorScheme: colours ?? "light",
    hasTouch: touch ?? false,
    isMobile: touch ?? false,
  });
  const page = await context.newPage();
  visits.push({ page, seen: watch(page) });
  await page.addInitScript(installReader);
  await page.addInitScript((preferred) => {
    if (preferred) localStorage.setItem("symcast.delivery", preferred);
  }, delivery);
  await page.goto(url, { waitUntil: "commit" });
  return visits.length - 1;
}

/** Collects what goes wrong in the page, the addresses of its requests, and `told`: the CMSD of each
 * response, which describes the path to this client, by address. */
function watch(page) {
  const seen = { troubles: [], requests: [], told: {} };
  page.on("console", (message) => {
    const { url } = message.location();
    if (url.endsWith("/favicon.ico")) return; // Chromium's own
    // The viewer has left since the page got the list.
    if (message.text().includes("404") && /\/viewers\/\d+\/events$/.test(url)) return;
    if (["error", "warning"].includes(message.type())) seen.troubles.push(`${message.text()} ${url}`);
  });
  page.on("pageerror", (error) => seen.troubles.push(error.message));
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("response", (response) => {
    const words = response.headers()["cmsd-dynamic"];
    if (words) seen.told[response.url()] = words;
  });
  return seen;
}

async function run({ page: number, step, ...options }) {
  if (step === "open") return open(options);
  const { page, seen } = visits[number];
  if (step === "seen") return seen;
  if (step === "close") return page.context().close();
  return kSteps[step](page, options);
}

function timeout() {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error("the page does not answer")), kStepTimeout).unref();
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  const answer = await Promise.race([run(command), timeout()]).then(
    (result) => ({ result: result ?? null }),
    (error) => ({ error: `${command.step}: ${error.message}` }),
  );
  console.log(JSON.stringify(answer));
}
await browser.close();

// One visit of the page in Chromium: `node visit.mjs '{"url": ..., "steps": [...]}'` prints, as JSON,
// the result of each step and what went wrong. MODULES: a folder that has playwright-core.
import { createRequire } from "node:module";
import { join } from "node:path";
import { installReader } from "./picture.mjs";
import { kSteps } from "./steps.mjs";

const { chromium } = createRequire(join(process.env.MODULES, "/"))("playwright-core");

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

const visit = JSON.parse(process.argv[2]);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: kArguments });
const context = await browser.newContext({
  viewport: visit.viewport ?? { width: 1280, height: 900 },
  colorScheme: visit.colours ?? "light",
  hasTouch: visit.touch ?? false,
  isMobile: visit.touch ?? false,
});
const page = await context.newPage();

const troubles = [];
const requests = [];
const told = {}; // CMSD of each response, which describes the path to this client, by address
page.on("console", (message) => {
  if (message.location().url.endsWith("/favicon.ico")) return; // Chromium's own
  if (["error", "warning"].includes(message.type())) troubles.push(message.text());
});
page.on("pageerror", (error) => troubles.push(error.message));
page.on("request", (request) => requests.push(request.url()));
page.on("response", (response) => {
  const words = response.headers()["cmsd-dynamic"];
  if (words) told[response.url()] = words;
});

await page.addInitScript(installReader);
await page.addInitScript((delivery) => {
  if (delivery) localStorage.setItem("symcast.delivery", delivery);
}, visit.delivery);
await page.goto(visit.url);

const results = [];
for (const { step, ...options } of visit.steps) results.push(await kSteps[step](page, options));
await browser.close();
console.log(JSON.stringify({ results, troubles, requests, told }));

// The steps of a visit, each a function of Playwright's page.
import { clockAhead, readCode } from "./picture.mjs";
import { record } from "./recording.mjs";
import { play } from "./segment_players.mjs";

const kStepTimeout = 15_000; // ms

async function wait(page, { seconds }) {
  await page.waitForTimeout(seconds * 1000);
}

/** Waits until a selector is there and visible. */
async function see(page, { selector }) {
  await page.locator(selector).first().waitFor({ timeout: kStepTimeout });
}

async function press(page, { key, selector }) {
  if (selector) await page.locator(selector).first().press(key);
  else await page.keyboard.press(key);
}

async function click(page, { selector }) {
  await page.locator(selector).first().click({ timeout: kStepTimeout });
}

async function tap(page, { selector }) {
  await page.locator(selector).first().tap({ timeout: kStepTimeout });
}

async function text(page, { selector }) {
  return page.locator(selector).allInnerTexts();
}

/** The value of an expression in the page. */
async function evaluate(page, { expression }) {
  return page.evaluate(expression);
}

/** Polls from here, because the page's content policy allows no eval(). */
async function until(page, { expression }) {
  const end = performance.now() + kStepTimeout;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > end) throw new Error(`never: ${expression}`);
    await page.waitForTimeout(50);
  }
}

async function screenshot(page, { path }) {
  await page.screenshot({ path, fullPage: true });
}

/** Prints a line, for the process that waits for it. */
async function tell(_page, { line }) {
  console.log(line);
}

/** The position of the video element, once per second, which shows whether it plays. */
async function watch(page, { seconds }) {
  const seen = [];
  for (let i = 0; i < seconds; ++i) {
    await page.waitForTimeout(1000);
    seen.push(
      await page.evaluate(() => ({
        now: performance.now() / 1000,
        at: document.querySelector("video").currentTime,
      })),
    );
  }
  return seen;
}

/** The age of a few pictures when they were shown, seconds: by the code that the test source draws, and
 * as the page displays it. */
async function ages(page, { count }) {
  const ahead = await clockAhead(page);
  const seen = [];
  for (let i = 0; i < count; ++i) {
    const { captured, shown, told } = await page.evaluate(readCode);
    if (captured !== null) seen.push({ age: (shown + ahead - captured) / 1000, told });
    await page.waitForTimeout(300);
  }
  return seen;
}

/** The number of coloured pixels of each chart; only its lines are coloured. */
async function drawn(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".plot canvas")].map((canvas) => {
      const { data } = canvas
        .getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b, alpha] = data.subarray(i, i + 4);
        if (alpha > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 60) ++coloured;
      }
      return coloured;
    }),
  );
}

export const kSteps = {
  ages, click, drawn, evaluate, play, press, record, screenshot, see, tap, tell, text, until, wait, watch,
};

// The steps that a page can be told to do, each a function of Playwright's page.
import { record, recorded } from "./recording.mjs";
import { play } from "./segment_players.mjs";

const kTimeout = 45_000; // ms

/** Waits until a selector is there and visible. */
async function see(page, { selector }) {
  await page.locator(selector).first().waitFor({ timeout: kTimeout });
}

async function press(page, { key, selector }) {
  if (selector) await page.locator(selector).first().press(key, { timeout: kTimeout });
  else await page.keyboard.press(key);
}

async function click(page, { selector }) {
  await page.locator(selector).first().click({ timeout: kTimeout });
}

async function tap(page, { selector }) {
  await page.locator(selector).first().tap({ timeout: kTimeout });
}

async function text(page, { selector }) {
  return page.locator(selector).allInnerTexts();
}

/** The value of an expression in the page. */
async function evaluate(page, { expression }) {
  return page.evaluate(expression);
}

async function screenshot(page, { path }) {
  await page.screenshot({ path, fullPage: true });
}

/** The number of coloured pixels of each chart; only its lines are coloured. */
async function drawn(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".plot canvas")].map((canvas) => {
      const { width, height } = canvas;
      const copy = Object.assign(document.createElement("canvas"), { width, height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
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
  click, drawn, evaluate, play, press, record, recorded, screenshot, see, tap, text,
};

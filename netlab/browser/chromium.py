"""Chromium, remote-controlled (browser.mjs), on this machine or behind a lab's link.

    with Browser() as browser:
        page = browser.open(origin(daemon), delivery="mp4")
        page.until(PAGE_PLAYS)
"""

import json
import math
import os
import pathlib
import shutil
import subprocess

from netlab.browser.pictures import Pictures
from netlab.daemon import wait_until

PROGRAM = pathlib.Path(__file__).with_name("browser.mjs")
BLANK = "/api/v1/time"  # a page to be replaced: on the server's own origin, without a content policy
VIDEO = "document.querySelector('video')"
STATE = f"""(video => JSON.stringify({{
    position: video.currentTime, paused: video.paused, seeking: video.seeking, ready: video.readyState,
    error: video.error && video.error.message,
    buffered: [...Array(video.buffered.length).keys()].map(i => [video.buffered.start(i), video.buffered.end(i)]),
}}))({VIDEO})"""
PHASE = "document.getElementById('screen')?.dataset.phase"  # of the page at /
BADGE = "document.getElementById('badge-text').textContent"
PLAYS = f"{VIDEO}?.currentTime > 0"
PAGE_PLAYS = f"{PLAYS} && {PHASE} === 'playing'"
PATIENCE = 45  # seconds for anything that a page does: far more than a busy machine needs
MODULES = os.environ.get("WEB_MODULES", "")


def why_unavailable():
    """Why Chromium cannot visit pages here; None if it can."""
    if not shutil.which("chromium"):
        return "chromium is not installed: run scripts/install-deps test"
    if not os.path.isdir(os.path.join(MODULES, "node_modules/playwright-core")):
        return "the page was not built (SYMCAST_WEB): run scripts/install-deps build"
    return None


def origin(daemon):
    return f"http://{daemon.ip}:{daemon.port}"


class Browser:
    """Runs until the end of the `with` block. With `lab`, Chromium runs in one of its clients. `wrapper`:
    words before the command."""

    def __init__(self, lab=None, client=0, wrapper=()):
        run, where = (lab.run_client, {"client": client}) if lab else (subprocess.Popen, {})
        self._process = run(
            [*wrapper, "node", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "MODULES": MODULES, "CHROMIUM": shutil.which("chromium")}, **where)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, **command):
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "Chromium has ended"}')
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def open(self, home, page="/", **options):
        """A Page that loads `page` of the origin `home`. Options: delivery, viewport, colours, touch."""
        return Page(self, self.ask(step="open", url=home + page, **options))


class Page:
    """Pages of one browser do not share cookies or storage, and are all visible."""

    def __init__(self, browser, number):
        self._browser = browser
        self._number = number

    def do(self, step, **options):
        """The result of one of the steps in steps.mjs."""
        return self._browser.ask(page=self._number, step=step, **options)

    def evaluate(self, expression):
        return self.do("evaluate", expression=expression)

    def until(self, expression):
        """Polls from here, because the page's content policy allows no eval(). While the page loads, elements of the
        expression may be missing."""
        guarded = f"(() => {{ try {{ return ({expression}) }} catch {{ return false }} }})()"
        wait_until(lambda: self.evaluate(guarded), PATIENCE, expression, interval=0.1)

    def plays_on(self, seconds=1):
        """Waits until the video has moved on by `seconds`."""
        position = f"{VIDEO}.currentTime"
        try:
            self.until(f"{position} > {self.evaluate(position) + seconds}")
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {self.evaluate(STATE)}; {self.newest_requests()}") from None

    def newest_requests(self):
        seen = self.seen()
        return {"troubles": seen["troubles"][-10:], "requests": seen["requests"][-20:]}

    def record(self):
        """Records every picture shown from now on."""
        self.do("record")

    def recorded(self):
        """The recording until now (recording.mjs); it goes on."""
        return self.do("recorded")

    def until_pictures(self, condition, what, since=-math.inf):
        """Waits until condition(Pictures) is true of the recording; returns these Pictures."""
        def check():
            recorded = self.recorded()
            if all(picture["captured"] is None for picture in recorded["pictures"]):
                return None
            pictures = Pictures(recorded, since)
            return condition(pictures) and pictures
        return wait_until(check, PATIENCE, what, interval=0.25)

    def seen(self):
        """Since the page was opened: {"troubles": [text], "requests": [URL], "told": {URL: CMSD}}."""
        return self.do("seen")

    def close(self):
        self.do("close")

"""Visits of Chromium to pages of a server (visit.mjs), from this machine or behind a lab's link."""

import json
import os
import pathlib
import shutil
import subprocess

VISIT = pathlib.Path(__file__).with_name("visit.mjs")
BLANK = "/api/v1/time"  # a page to be replaced: on the server's own origin, without a content policy
PLAYS = {"step": "until", "expression": "document.querySelector('video').currentTime > 0"}
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


class Visit:
    """One visit of `page` on the origin `home`, which does `steps` (steps.mjs). With `lab`, Chromium
    runs in its first client. Ends with the `with` block."""

    def __init__(self, home, *steps, lab=None, page="/", **options):
        what = {"url": home + page, "steps": steps, **options}
        run = lab.run_client if lab else subprocess.Popen
        self.process = run(
            ["node", VISIT, json.dumps(what)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "MODULES": MODULES, "CHROMIUM": shutil.which("chromium")})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def line(self):
        """The next line that a step `tell` printed."""
        return self.process.stdout.readline().rstrip()

    def end(self, seconds=120):
        """Waits for the end of the visit; returns results of the steps, troubles and requests."""
        output = self.process.communicate(timeout=seconds)[0]
        assert self.process.returncode == 0
        return json.loads(output.splitlines()[-1])

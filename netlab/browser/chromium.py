"""Visits of Chromium to pages of a server (visit.mjs), from this machine or behind a lab's link."""

import json
import os
import pathlib
import shutil
import subprocess

VISIT = pathlib.Path(__file__).with_name("visit.mjs")
BLANK = "/api/v1/time"  # to be replaced: of the server's own origin, and without a policy
PLAYS = {"step": "until", "expression": "document.querySelector('video').currentTime > 0"}
MODULES = os.environ.get("WEB_MODULES", "")


def why_unavailable():
    """Why there can be no visit; None when there can."""
    if not shutil.which("chromium"):
        return "there is no chromium: scripts/install-deps test"
    if not os.path.isdir(os.path.join(MODULES, "node_modules/playwright-core")):
        return "the page was not built (SYMCAST_WEB): scripts/install-deps build"
    return None


def origin(daemon):
    return f"http://{daemon.ip}:{daemon.port}"


class Visit:
    """One visit of `page`: what it does are steps of steps.mjs. Ends with the `with` block. `home`: an
    origin; `lab`: from its client."""

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
        """The next that a step `tell` said."""
        return self.process.stdout.readline().rstrip()

    def end(self, seconds=120):
        """What was seen: results of the steps, troubles, requests."""
        output = self.process.communicate(timeout=seconds)[0]
        assert self.process.returncode == 0
        return json.loads(output.splitlines()[-1])

"""Players that were playing when the server was killed play on when it is back, without a reload: it
continues the numbers and times of the segments, and its sockets stay open if it is a service."""

import concurrent.futures
import contextlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

from netlab.browser.chromium import BLANK, PAGE_PLAYS, PHASE, PLAYS, VIDEO, Browser, origin
from netlab.browser.chromium import why_unavailable
from netlab.daemon import Daemon, free_port, wait_until
from netlab.service_manager import ServiceManager
from tests.integration.players import PLAYER, vlc_command

RATE = 10  # frames/s
UPTIMES = [5, 20, 120] if os.environ.get("SYMCAST_TEST_LONG") else [5]
AWAY = 2  # seconds between the end of a server and the start of the next
# Frames from before the end that a player may have: it begins up to three segments behind live.
AHEAD = 8  # seconds
PLAYED_AFTER = 5  # seconds
PATIENCE = 120  # seconds that a busy machine may take for all of that
CONFIG = """
[encoder]
preset = "ultrafast"
"""
FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
# libavformat reads an endless stream again only if it is told to.
AGAIN = {"reconnect": 1, "reconnect_streamed": 1, "reconnect_at_eof": 1,
         "reconnect_on_network_error": 1, "reconnect_delay_max": 2}


def ffmpeg(url, frames, _directory, again=None):
    options = [word for name, value in (again or {}).items() for word in (f"-{name}", str(value))]
    return ["ffmpeg", "-v", "error", *options, "-i", url, "-map", "0:v", "-frames:v", str(frames),
            "-f", "null", "-"], None


def mpv(url, frames, _directory, again=None):
    options = ",".join(f"{name}={value}" for name, value in (again or {}).items())
    return ["mpv", "--no-config", "--vo=null", "--ao=null", f"--frames={frames}", "--no-terminal",
            f"--stream-lavf-o={options}", url], None


def gstreamer(url, frames, _directory):
    player = pathlib.Path(__file__).with_name("gst_player.py")
    return [sys.executable, str(player), url, str(frames / RATE), "1"], None


INSTALLED = {"ffmpeg": shutil.which("ffmpeg"), "mpv": shutil.which("mpv"), "vlc": shutil.which("cvlc"),
             "gstreamer": importlib.util.find_spec("gi"), "browser": not why_unavailable()}
LISTED = [f"{player}-{kind}" for player in ("ffmpeg", "mpv", "gstreamer", "vlc") for kind in FILES]
ENDLESS = ["ffmpeg-ts", "mpv-ts"]
BROWSER = ["browser-hls", "browser-dash", "browser-page"]
# With a refused connection libavformat ends or skips numbers, and dash.js gives up after 1.5 s.
CASES = {"kept": [*LISTED, *ENDLESS, *BROWSER],
         "refused": [*ENDLESS, "browser-hls", "browser-page"]}


class Vlc:
    """Counts the frames that VLC has decoded; each is counted twice."""

    DECODED = re.compile(r"video decoded +: +(\d+)")

    def __init__(self, url, frames, directory):
        self._frames = frames
        command, environment = vlc_command(directory, "-I", "rc", "--rc-fake-tty", url)
        self._log = directory / "vlc.log"
        with open(self._log, "w") as log:
            self._process = subprocess.Popen([*PLAYER, *command], stdin=subprocess.PIPE, stdout=log,
                                             stderr=subprocess.STDOUT, env=environment, text=True)

    def wait(self):
        try:
            wait_until(self._has_played, PATIENCE, "VLC plays on", 0.5)
        finally:
            self._process.kill()
            self._process.wait()

    def _has_played(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("stats\n")
            self._process.stdin.flush()
        decoded = self.DECODED.findall(self._log.read_text(errors="replace"))
        return decoded and int(decoded[-1]) >= 2 * self._frames


class Command:
    """A player that ends by itself when it has played enough frames."""

    def __init__(self, command, environment):
        self._process = subprocess.Popen([*PLAYER, *command], stdin=subprocess.DEVNULL, text=True,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         env=environment)

    def wait(self):
        try:
            _, complaints = self._process.communicate(timeout=PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
        assert self._process.returncode == 0, complaints


def start(case, server, frames, directory):
    """A program that plays that many frames."""
    player, kind = case.split("-")
    url = server.url() if kind == "ts" else f"{origin(server)}/live/{FILES[kind]}"
    if player == "vlc":
        return Vlc(url, frames, directory)
    again = {"again": AGAIN} if kind == "ts" else {}
    command = {"ffmpeg": ffmpeg, "mpv": mpv, "gstreamer": gstreamer}[player]
    return Command(*command(url, frames, directory, **again))


class Pages:
    """The players in Chromium."""

    def __init__(self, browser, server, cases):
        self._pages = {case: self._open(browser, server, case) for case in cases}
        for case, page in self._pages.items():
            page.until(PAGE_PLAYS if case == "browser-page" else PLAYS)

    @staticmethod
    def _open(browser, server, case):
        if case == "browser-page":
            return browser.open(origin(server), delivery="flv")
        player = case.split("-")[1]
        page = browser.open(origin(server), page=BLANK)
        page.do("play", player=player, url=f"/live/{FILES[player]}", settings={})
        return page

    def notice(self):
        """The server has gone: notes what has been shown."""
        self._shown = {case: self._frames(page) for case, page in self._pages.items()}
        if "browser-page" in self._pages:
            self._pages["browser-page"].until(f"{PHASE} !== 'playing'")
            self._shown["browser-page"] = 0  # the page makes a new element

    @staticmethod
    def _frames(page):
        return page.evaluate(f"{VIDEO}.getVideoPlaybackQuality().totalVideoFrames")

    def played_on(self):
        """{case: None, or why not}"""
        results = {}
        for case, page in self._pages.items():
            wanted = self._shown[case] + RATE * (AHEAD + PLAYED_AFTER)
            try:
                wait_until(lambda: self._frames(page) > wanted, PATIENCE, "plays on")  # noqa: B023
                results[case] = None
            except AssertionError as error:
                errors = page.evaluate("JSON.stringify(window.noted?.errors)")
                results[case] = f"{error}: {errors}"
        return results


def restart(directory, uptime, kind):
    """All players of `kind` play from a server that is killed after `uptime`, and started again."""
    cases = [case for case in CASES[kind] if INSTALLED[case.split("-")[0]]]
    with contextlib.ExitStack() as running:
        manager = running.enter_context(ServiceManager(directory)) if kind == "kept" else None
        port = free_port()

        def serve(name):
            place = directory / name
            place.mkdir()
            return Daemon("--source", f"live=test:?size=192x108&fps={RATE}", config=CONFIG, port=port,
                          directory=place, manager=manager)

        server, begin = serve("first"), time.monotonic()
        running.callback(server.process.kill)
        inside = [case for case in cases if case in BROWSER]
        pages = Pages(running.enter_context(Browser()), server, inside) if inside else None
        frames = RATE * round(time.monotonic() - begin + uptime + AHEAD + PLAYED_AFTER)
        programs = {}
        for case in cases:
            if case not in BROWSER:
                place = directory / case
                place.mkdir()
                programs[case] = start(case, server, frames, place)
        time.sleep(uptime)
        server.process.kill()
        server.process.wait()
        if pages:
            pages.notice()
        time.sleep(AWAY)
        with serve("second"), concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            waits = {case: pool.submit(program.wait) for case, program in programs.items()}
            results = pages.played_on() if pages else {}
            for case, wait in waits.items():
                error = wait.exception()
                results[case] = f"{type(error).__name__}: {error}" if error else None
            return results


@pytest.fixture(scope="module")
def restarts(tmp_path_factory):
    """{(uptime, kind): {case: None, or why it does not play on}}"""
    return {(uptime, kind): restart(tmp_path_factory.mktemp(f"{kind}{uptime}"), uptime, kind)
            for uptime in UPTIMES for kind in CASES}


@pytest.mark.parametrize(("uptime", "kind", "case"),
                         [(uptime, kind, case) for uptime in UPTIMES for kind, cases in CASES.items()
                          for case in cases])
def test_plays_on_after_a_restart(restarts, uptime, kind, case):
    if case not in restarts[uptime, kind]:
        pytest.skip(f"{case.split('-')[0]} is not installed")
    assert restarts[uptime, kind][case] is None


def test_a_socket_that_is_not_wanted_any_more_is_closed(tmp_path):
    """Or the next server could not listen on its port."""
    with ServiceManager(tmp_path) as manager:
        def serve(name, port):
            (tmp_path / name).mkdir()
            return Daemon("--source", "live=test:?size=192x108&fps=5", directory=tmp_path / name,
                          port=port, manager=manager)

        first, second = free_port(), free_port()
        for name, port in (("a", first), ("b", first), ("c", second), ("d", second)):
            with serve(name, port) as server:
                assert manager.kept() == [f"listen-127.0.0.1_{port}"]
                assert ("socket_kept" in server.log()) == (name in "bd")
                assert ("socket_not_kept" in server.log()) == (name == "c")

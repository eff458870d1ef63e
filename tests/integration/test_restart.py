"""Players that were playing when the server was killed play on when it is back, without a reload: it
continues the numbers and times of the segments, and its sockets stay open if it is a service."""

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
from tests.integration import mp4_boxes
from tests.integration.players import PLAYER, vlc_command
from tests.integration.segment_requests import HlsPlayer

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
# GStreamer 1.22.0 takes a new server's first playlist for a lost place, and seeks to its end. If no
# segment has been added by then, it says so and waits for ever.
LOST_PLACE = "the place is lost"
SAYS_SO = re.compile("gst_hls_demux_stream_seek.*Seeking failed")
# libavformat reads an endless stream again only if it is told to. It tries after 0, 1, 3, 7 s and so on.
AGAIN = {"reconnect": 1, "reconnect_streamed": 1, "reconnect_at_eof": 1,
         "reconnect_on_network_error": 1, "reconnect_delay_max": 30}


def ffmpeg(url, directory, again=None):
    options = [word for name, value in (again or {}).items() for word in (f"-{name}", str(value))]
    return ["ffmpeg", "-v", "error", "-progress", directory / "frames", "-stats_period", "0.2", *options,
            "-i", url, "-map", "0:v", "-f", "null", "-"]


def mpv(url, directory, again=None):
    options = ",".join(f"{name}={value}" for name, value in (again or {}).items())
    script = directory / "count.lua"
    script.write_text(f"""
local log, count = io.open("{directory}/frames", "w"), 0
mp.observe_property("time-pos", "number", function(_, position)
  if not position then return end
  count = count + 1
  log:write("frame=", count, "\\n")
  log:flush()
end)
""")
    return ["mpv", "--no-config", "--vo=null", "--ao=null", "--no-terminal", f"--script={script}",
            f"--stream-lavf-o={options}", url]


def gstreamer(url, directory):
    player = pathlib.Path(__file__).with_name("gst_player.py")
    return [sys.executable, player, url, "3600", "1", directory / "frames"]


INSTALLED = {"ffmpeg": shutil.which("ffmpeg"), "mpv": shutil.which("mpv"), "vlc": shutil.which("cvlc"),
             "gstreamer": importlib.util.find_spec("gi"), "browser": not why_unavailable()}
LISTED = [f"{player}-{kind}" for player in ("ffmpeg", "mpv", "gstreamer", "vlc") for kind in FILES]
ENDLESS = ["ffmpeg-ts", "mpv-ts"]
BROWSER = ["browser-hls", "browser-dash", "browser-page"]
# With a refused connection libavformat ends or skips numbers, and dash.js gives up after 1.5 s.
CASES = {"kept": [*LISTED, *ENDLESS, *BROWSER],
         "refused": [*ENDLESS, "browser-hls", "browser-page"]}


class Program:
    """A player, which reports in the file `frames` how many frames it has played."""

    COUNT = re.compile(r"frame=(\d+)")

    def __init__(self, command, directory, environment=None):
        self._report = directory / "frames"
        self._messages = directory / "messages"
        with open(self._messages, "w") as messages:
            self._process = self._begin([*PLAYER, *map(str, command)], messages, environment)

    def _begin(self, command, messages, environment):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=messages, env=environment)

    def has_played(self, frames):
        """Asserts that the player still runs."""
        assert self._process.poll() is None, self.messages()[-500:]
        return self.frames() >= frames

    def messages(self):
        return self._messages.read_text(errors="replace")

    def frames(self):
        counts = self.COUNT.findall(self._report.read_text()) if self._report.exists() else []
        return int(counts[-1]) if counts else 0

    def end(self):
        self._process.kill()
        self._process.wait()


class Vlc(Program):
    """Reports in its messages, when asked, and counts each decoded frame twice."""

    DECODED = re.compile(r"video decoded +: +(\d+)")

    def _begin(self, command, messages, environment):
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=messages,
                                stderr=subprocess.STDOUT, env=environment, text=True)

    def frames(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("stats\n")
            self._process.stdin.flush()
        decoded = self.DECODED.findall(self.messages())
        return int(decoded[-1]) // 2 if decoded else 0


def start(case, server, directory):
    player, kind = case.split("-")
    url = server.url() if kind == "ts" else f"{origin(server)}/live/{FILES[kind]}"
    if player == "vlc":
        command, environment = vlc_command(directory, "-I", "rc", "--rc-fake-tty", url)
        return Vlc(command, directory, environment)
    again = {"again": AGAIN} if kind == "ts" else {}
    command = {"ffmpeg": ffmpeg, "mpv": mpv, "gstreamer": gstreamer}[player]
    environment = os.environ | {"GST_DEBUG": "1,hlsdemux2:2", "GST_DEBUG_NO_COLOR": "1"}
    return Program(command(url, directory, **again), directory, environment)


class Programs:
    def __init__(self, server, cases, directory):
        self._programs = {}
        for case in cases:
            place = directory / case
            place.mkdir()
            self._programs[case] = start(case, server, place)

    def until_they_play(self):
        for case, program in self._programs.items():
            wait_until(lambda: program.has_played(1), PATIENCE, f"{case} plays", 0.2)  # noqa: B023

    def notice(self):
        """The server has gone: notes what has been played."""
        self._played = {case: program.frames() for case, program in self._programs.items()}

    def played_on(self):
        """{case: None, or why not}"""
        results = {}
        for case, program in self._programs.items():
            wanted = self._played[case] + RATE * (AHEAD + PLAYED_AFTER)
            try:
                wait_until(lambda: program.has_played(wanted), PATIENCE, "plays on", 0.5)  # noqa: B023
                results[case] = None
            except AssertionError as error:
                results[case] = LOST_PLACE if SAYS_SO.search(program.messages()) else str(error)
        return results

    def end(self):
        for program in self._programs.values():
            program.end()


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
    """All players of `kind` play for `uptime` from a server that is killed then, and started again."""
    cases = [case for case in CASES[kind] if INSTALLED[case.split("-")[0]]]
    inside = [case for case in cases if case in BROWSER]
    with contextlib.ExitStack() as running:
        manager = running.enter_context(ServiceManager(directory)) if kind == "kept" else None
        port = free_port()

        def serve(name):
            place = directory / name
            place.mkdir()
            return Daemon("--source", f"live=test:?size=192x108&fps={RATE}", config=CONFIG, port=port,
                          directory=place, manager=manager)

        server = serve("first")
        running.callback(server.process.kill)
        pages = Pages(running.enter_context(Browser()), server, inside) if inside else None
        # GStreamer 1.22.0 never plays a playlist that had one segment at first.
        with HlsPlayer(server) as hls:
            for rendition in ("auto", "audio"):
                wait_until(lambda: len(hls.playlist(rendition).segments) > 1,  # noqa: B023
                           PATIENCE, "segments")
        begin = time.monotonic()
        programs = Programs(server, [case for case in cases if case not in BROWSER], directory)
        running.callback(programs.end)
        programs.until_they_play()
        time.sleep(max(0, begin + uptime - time.monotonic()))
        server.process.kill()
        server.process.wait()
        programs.notice()
        if pages:
            pages.notice()
        time.sleep(AWAY)
        with serve("second"):
            return {**(pages.played_on() if pages else {}), **programs.played_on()}


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
    if restarts[uptime, kind][case] == LOST_PLACE:
        pytest.skip("GStreamer 1.22.0 has lost its place in the playlist")
    assert restarts[uptime, kind][case] is None


def test_a_segment_that_the_killed_server_had_made_has_a_stand_in(tmp_path):
    """The next server answers the players that were asking for it. With 404, VLC 3.0.24 plays on
    without that track."""
    port = free_port()
    # Longer than a busy machine takes for a restart.
    config = CONFIG + '[segments]\nwindow = "10m"\n'

    def serve(name):
        (tmp_path / name).mkdir()
        return Daemon("--source", f"live=test:?size=192x108&fps={RATE}", config=config, port=port,
                      directory=tmp_path / name)

    first = serve("first")
    try:
        with HlsPlayer(first) as hls:
            segments = {rendition: hls.playlist(rendition).segments[-1]
                        for rendition in ("auto", "audio")}
            paths = {rendition: hls.path(rendition, segment.uri)
                     for rendition, segment in segments.items()}
            made = {rendition: mp4_boxes.chunks(hls.media(path)) for rendition, path in paths.items()}
            inits = {rendition: hls.media(hls.path(rendition, segment.init))
                     for rendition, segment in segments.items()}
    finally:
        first.process.kill()
        first.process.wait()
    with serve("second") as second, HlsPlayer(second) as hls:
        for rendition, path in paths.items():
            [(begin, ticks, _)] = mp4_boxes.chunks(hls.media(path))
            # Audio frames begin a moment before or after the segment.
            near = mp4_boxes.timescale(inits[rendition]) / 10
            assert begin == pytest.approx(made[rendition][0][0], abs=near)
            length = sum(sum(durations) for _, durations, _ in made[rendition])
            assert ticks == [pytest.approx(length, abs=near)]


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

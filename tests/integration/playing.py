"""Stock players that play for as long as a test wants, side by side, and how many frames each has played.

A case is PLAYER-KIND: programs and players in Chromium that play HLS or DASH, programs that play the endless
stream, and the page (`browser-page`, with mpegts.js)."""

import contextlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

from netlab.browser.chromium import BLANK, PAGE_PLAYS, PLAYS, VIDEO, origin, why_unavailable
from netlab.daemon import wait_until
from tests.integration.players import PLAYER, vlc_command

RATE = 10  # frames/s
# Frames from before an event that a player may have: it begins up to three segments behind live.
AHEAD = 8  # seconds
PLAYED_AFTER = 5  # seconds
PATIENCE = 120  # seconds that a busy machine may take for all of that
FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
# GStreamer 1.22.0 takes a new server's first playlist for a lost place, and seeks to its end. If no
# segment has been added by then, it says so and waits for ever.
LOST_PLACE = "GStreamer 1.22.0 has lost its place in the playlist"
SAYS_SO = re.compile("gst_hls_demux_stream_seek.*Seeking failed")
# libavformat reads an endless stream again only if it is told to. It tries after 0, 1, 3, 7 s and so on.
AGAIN = {"reconnect": 1, "reconnect_streamed": 1, "reconnect_at_eof": 1,
         "reconnect_on_network_error": 1, "reconnect_delay_max": 30}
INSTALLED = {"ffmpeg": shutil.which("ffmpeg"), "mpv": shutil.which("mpv"), "vlc": shutil.which("cvlc"),
             "gstreamer": importlib.util.find_spec("gi"), "browser": not why_unavailable()}
LISTED = [f"{player}-{kind}" for player in ("ffmpeg", "mpv", "gstreamer", "vlc") for kind in FILES]
ENDLESS = ["ffmpeg-ts", "mpv-ts"]
BROWSER = ["browser-hls", "browser-dash", "browser-page"]
CASES = [*LISTED, *ENDLESS, *BROWSER]


def player_of(case):
    return case.split("-")[0]


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
    return [sys.executable, player, url, "inf", "1", directory / "frames"]


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

    def until_it_plays(self):
        wait_until(lambda: self.has_played(1), PATIENCE, "plays", 0.2)

    def has_played(self, frames):
        """Asserts that the player still runs."""
        assert self._process.poll() is None, self.messages()[-500:]
        return self.frames() >= frames

    def messages(self):
        return self._messages.read_text(errors="replace")

    def complaints(self):
        return self.messages()[-500:]

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


class Shown:
    """A player in Chromium. After an error the page makes a new element, which counts from 0."""

    def __init__(self, page, condition):
        self.page = page
        self._condition = condition
        self._earlier = self._newest = 0  # frames of former elements, and of the present one

    def until_it_plays(self):
        self.page.until(self._condition)

    def has_played(self, frames):
        return self.frames() >= frames

    def frames(self):
        count = self.page.evaluate(f"{VIDEO}?.getVideoPlaybackQuality().totalVideoFrames") or 0
        if count < self._newest:
            self._earlier += self._newest
        self._newest = count
        return self._earlier + count

    def messages(self):
        return self.complaints()

    def complaints(self):
        return self.page.evaluate("JSON.stringify(window.noted?.errors)") or ""

    def end(self):
        self.page.close()


def start_program(case, server, directory, wrapper=()):
    """`wrapper`: words before the player's command."""
    player, kind = case.split("-")
    url = server.url() if kind == "ts" else f"{origin(server)}/live/{FILES[kind]}"
    if player == "vlc":
        command, environment = vlc_command(directory, "-I", "rc", "--rc-fake-tty", url)
        return Vlc([*wrapper, *command], directory, environment)
    again = {"again": AGAIN} if kind == "ts" else {}
    command = {"ffmpeg": ffmpeg, "mpv": mpv, "gstreamer": gstreamer}[player]
    environment = os.environ | {"GST_DEBUG": "1,hlsdemux2:2", "GST_DEBUG_NO_COLOR": "1"}
    return Program([*wrapper, *command(url, directory, **again)], directory, environment)


def open_page(case, server, browser):
    if case == "browser-page":
        return Shown(browser.open(origin(server), delivery="flv"), PAGE_PLAYS)
    player = case.split("-")[1]
    page = browser.open(origin(server), page=BLANK)
    page.do("play", player=player, url=f"/live/{FILES[player]}", settings={})
    return Shown(page, PLAYS)


class Players:
    """The players of those `cases` that are installed."""

    def __init__(self, server, cases, directory, browser=None, wrapper=()):
        self.running = {}
        self._begun = {}  # frames that have been played when something happens
        for case in cases:
            if not INSTALLED[player_of(case)]:
                continue
            if case in BROWSER:
                self.running[case] = open_page(case, server, browser)
            else:
                place = directory / case
                place.mkdir()
                self.running[case] = start_program(case, server, place, wrapper)

    def until_they_play(self):
        for case, player in self.running.items():
            try:
                player.until_it_plays()
            except AssertionError as error:
                raise AssertionError(f"{case}: {error}: {player.complaints()}") from None

    def notice(self):
        """Something happens: notes what has been played."""
        self._begun = {case: player.frames() for case, player in self.running.items()}

    def check(self, case, seconds=AHEAD + PLAYED_AFTER, patience=PATIENCE):
        """Waits until a player has played that long since notice()."""
        player = self.running[case]
        wanted = self._begun.get(case, 0) + RATE * seconds
        try:
            wait_until(lambda: player.has_played(wanted), patience, "plays on", 0.5)
        except AssertionError as error:
            lost = SAYS_SO.search(player.messages())
            raise AssertionError(LOST_PLACE if lost else f"{error}: {player.complaints()}") from None

    def results(self):
        """{case: None, or why it does not play on}"""
        return {case: self._result(case) for case in self.running}

    def _result(self, case):
        try:
            self.check(case)
        except AssertionError as error:
            return str(error)
        return None

    def end(self):
        for player in self.running.values():
            player.end()

"""How soon each surface of the server shows that a source is away, in ten kinds of trouble, and that it
plays again."""

import json
import re
import signal
import socket
import subprocess
import time

from netlab.browser.chromium import PAGE_PLAYS, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until
from netlab.line_reader import LineReader

PICTURE = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25"]
SOUND = ["-f", "lavfi", "-i", "sine"]
CODE = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac"]
MPEGTS = ["-f", "mpegts"]
RTP = ["-f", "rtp_mpegts"]
NOISE = ["-f", "lavfi", "-i", "anoisesrc", "-f", "s16le"]
PATIENCE = 30  # seconds
POLL = 0.01  # seconds
SURFACES = ("healthz", "status", "streams", "metrics", "events", "page")

# The scheme of the source, the format of its sender, and what follows; None: the sender pauses.
KINDS = {
    "udp, sender ends": ("udp", MPEGTS, []),
    "udp, sender pauses": ("udp", MPEGTS, None),
    "udp, noise instead": ("udp", MPEGTS, NOISE),
    "udp, only audio instead": ("udp", MPEGTS, [*SOUND, *CODE, *MPEGTS]),
    "rtp, sender ends": ("rtp", RTP, []),
    "rtp, sender pauses": ("rtp", RTP, None),
    "srt, sender ends": ("srt", MPEGTS, []),
    "srt, sender pauses": ("srt", MPEGTS, None),
    "srt, noise instead": ("srt", MPEGTS, NOISE),
    "srt, only audio instead": ("srt", MPEGTS, [*SOUND, *CODE, *MPEGTS]),
}
FIRST = next(iter(KINDS))

# The page notes when its badge changes, because asking for it takes time.
NOTE_BADGE = """(() => {
    const badge = document.getElementById('badge-text');
    const note = () => { window.badge = { plays: badge.textContent === 'Live', at: Date.now() }; };
    new MutationObserver(note).observe(badge, { childList: true, characterData: true, subtree: true });
    note();
})()"""


class Sender:
    """A source's sender, or what sends instead of it."""

    def __init__(self, scheme, port):
        self._uri = f"{scheme}://127.0.0.1:{port}"
        self._process = None
        self._words = []

    def send(self, words):
        """Ends what was sent before."""
        self.end()
        self._words = words
        if words:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", *words, self._uri],
                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # libsrt writes there

    def keep(self):
        """Sends again if the server has refused: a listener hears late that an SRT caller has gone."""
        if self._process and self._process.poll() is not None:
            self.send(self._words)

    def fail(self, instead):
        if instead is None:
            self._process.send_signal(signal.SIGSTOP)
        else:
            self.send(instead)

    def end(self):
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


class Events:
    """The newest state of the source in the server's events."""

    def __init__(self, daemon, name):
        self.plays, self.at = None, 0.0
        self._name = name
        self._reader = LineReader(daemon, "/api/v1/events", self._take)

    def end(self):
        self._reader.end()

    def _take(self, line):
        if not line.startswith(b"data: "):
            return
        streams = json.loads(line[len(b"data: "):])["streams"]
        plays = {stream["name"]: stream["state"] for stream in streams}[self._name] == "playing"
        if plays != self.plays:
            self.at, self.plays = time.monotonic(), plays


class Surfaces:
    """The server's surfaces, and the page in a browser, with regard to one stream. In the `with` block they can
    be asked."""

    def __init__(self, daemon, browser, name):
        self._daemon = daemon
        self._name = name
        self._page = browser.open(origin(daemon), f"/{name}")
        self._page.until(PAGE_PLAYS)
        self._page.evaluate(NOTE_BADGE)
        self._events = Events(daemon, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._events.end()
        self._page.close()

    def plays(self):
        """(surface, whether it says that the source plays, since when), each asked when it is its turn."""
        text = lambda path: self._daemon.get(path)[2].decode()  # noqa: E731
        name, now = self._name, time.monotonic
        yield "healthz", f"\n{name} playing\n" in text("/healthz"), now()
        status = re.search(rf"<h2>{name}</h2>.*?source (\w+)", text("/status"), re.S)[1]
        yield "status", status == "playing", now()
        streams = {stream["name"]: stream for stream in json.loads(text("/api/v1/streams"))["streams"]}
        yield "streams", streams[name]["state"] == "playing", now()
        metrics = self._daemon.metrics()
        yield "metrics", metrics.sum("symcast_source_status", stream=name, status="playing") == 1, now()
        yield "events", self._events.plays, self._events.at
        badge = self._page.evaluate("window.badge")
        yield "page", badge["plays"], badge["at"] / 1000 - time.time() + now()

    def times(self, plays, since, sender):
        """{surface: seconds since then until it says so}. The sender does not end meanwhile."""
        found = {}
        while len(found) < len(SURFACES):
            sender.keep()
            for surface, says, at in self.plays():
                if says == plays and surface not in found:
                    found[surface] = at - since
            if time.monotonic() > since + PATIENCE:
                raise RuntimeError(f"after {PATIENCE} s only {sorted(found)} say so")
            time.sleep(POLL)
        return {surface: found[surface] for surface in SURFACES}


class Run:
    """A server with a source for each kind of trouble, and a browser."""

    def __init__(self, directory):
        self._ports = {kind: free_port(socket.SOCK_DGRAM) for kind in KINDS}
        names = {kind: f"kind{i}" for i, kind in enumerate(KINDS)}
        uris = {kind: f"srt://:{port}" if KINDS[kind][0] == "srt" else f"udp://127.0.0.1:{port}"
                for kind, port in self._ports.items()}
        sources = [word for kind in KINDS for word in ("--source", f"{names[kind]}={uris[kind]}")]
        self._names = names
        self._daemon = Daemon(*sources, directory=directory, sources_play=False)
        self._browser = Browser()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self._browser.__exit__()
        self._daemon.__exit__(kind)

    def measure(self, kind, count):
        """[{surface: seconds}] until a source is away, and [seconds between the first and the last surface]
        until it plays again."""
        scheme, form, instead = KINDS[kind]
        stops, returns = [], []
        sender = Sender(scheme, self._ports[kind])
        send = lambda: sender.send([*PICTURE, *SOUND, *CODE, *form])  # noqa: E731
        playing = {"stream": self._names[kind], "status": "playing"}
        send()
        try:
            wait_until(lambda: self._daemon.metrics().sum("symcast_source_status", **playing), PATIENCE,
                       "it plays")
            with Surfaces(self._daemon, self._browser, self._names[kind]) as surfaces:
                for _ in range(count):
                    surfaces.times(True, time.monotonic(), sender)
                    time.sleep(2)  # of pictures, so that the next stop is one
                    begin = time.monotonic()
                    sender.fail(instead)
                    stops.append(surfaces.times(False, begin, sender))
                    send()
                    times = surfaces.times(True, time.monotonic(), sender)
                    returns.append(max(times.values()) - min(times.values()))
        finally:
            sender.end()
        return stops, returns

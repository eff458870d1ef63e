"""How soon each surface of the server shows that a source has stopped, and that it plays again."""

import http.client
import json
import re
import socket
import subprocess
import threading
import time

from netlab.browser.chromium import PAGE_PLAYS, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until

SENDER = ["setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", "-f", "lavfi", "-i",
          "testsrc2=s=320x180:r=25", "-f", "lavfi", "-i", "sine", "-c:v", "libx264", "-preset", "ultrafast",
          "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "mpegts"]
PATIENCE = 30  # seconds
POLL = 0.01  # seconds


class Events:
    """The newest state of the source in the server's events."""

    def __init__(self, daemon):
        self.plays = None
        self._connection = http.client.HTTPConnection(daemon.ip, daemon.port)
        self._connection.request("GET", "/api/v1/events")
        self._response = self._connection.getresponse()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            for line in self._response:
                if line.startswith(b"data: "):
                    self.plays = json.loads(line[len(b"data: "):])["streams"][0]["state"] == "playing"
        except (OSError, http.client.HTTPException, ValueError):
            pass  # end() has shut it down

    def end(self):
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()


class Surfaces:
    """The server's surfaces, and the page in a browser. In the `with` block they can be asked."""

    def __init__(self, daemon, browser):
        self._daemon = daemon
        self._page = browser.open(origin(daemon), "/live")
        self._page.until(PAGE_PLAYS)
        self._events = Events(daemon)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._events.end()

    def plays(self):
        """(surface, whether it says that the source plays), each asked when it is its turn."""
        text = lambda path: self._daemon.get(path)[2].decode()  # noqa: E731
        yield "healthz", text("/healthz").splitlines()[1].endswith(" playing")
        yield "status", re.search(r"source (\w+)", text("/status"))[1] == "playing"
        yield "streams", json.loads(text("/api/v1/streams"))["streams"][0]["state"] == "playing"
        yield "metrics", self._daemon.metrics().sum("symcast_source_status", status="playing") == 1
        yield "events", self._events.plays
        yield "page", self._page.evaluate("document.getElementById('badge-text').textContent") == "Live"

    def times(self, plays, since):
        """{surface: seconds since then until it says so}."""
        found = {}
        while len(found) < 6:
            for surface, says in self.plays():
                if says == plays and surface not in found:
                    found[surface] = time.monotonic() - since
            if time.monotonic() > since + PATIENCE:
                raise RuntimeError(f"after {PATIENCE} s only {sorted(found)} say so")
            time.sleep(POLL)
        return found


def measure(count, directory):
    """[{surface: seconds}] until a source that stopped is away, and [seconds between the first and the last
    surface] until it plays again."""
    port = free_port(socket.SOCK_DGRAM)
    source = f"live=udp://127.0.0.1:{port}"
    stops, returns = [], []

    def send():
        return subprocess.Popen([*SENDER, f"udp://127.0.0.1:{port}"], stdin=subprocess.DEVNULL)

    sender = send()
    try:
        with Daemon("--source", source, directory=directory, sources_play=False) as daemon, Browser() as browser:
            wait_until(lambda: daemon.metrics().sum("symcast_source_status", status="playing"), PATIENCE, "it plays")
            with Surfaces(daemon, browser) as surfaces:
                surfaces.times(True, time.monotonic())
                for _ in range(count):
                    sender.kill()
                    sender.wait()
                    stops.append(surfaces.times(False, time.monotonic()))
                    sender = send()
                    times = surfaces.times(True, time.monotonic())
                    returns.append(max(times.values()) - min(times.values()))
                    time.sleep(2)  # of pictures, so that the next stop is one
    finally:
        sender.kill()
        sender.wait()
    return stops, returns

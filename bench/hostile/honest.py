"""Clients that behave: viewers who watch all the time, an HLS player, and newcomers."""

import collections
import http.client
import itertools
import os
import re
import subprocess
import threading
import time
import urllib.parse

from netlab.daemon import wait_until
from netlab.network import stop, tool

PATIENCE = 60  # seconds until the viewers watch
REPLY_SECONDS = 10  # a newcomer who waits for longer has gone
FIRST_BYTES = 20_000  # of a stream: its first pictures
NEWCOMERS_APART = 2  # seconds
SEGMENT = re.compile(r"^(\d+)\.m4s$", re.M)


def get(connection, path):
    """(status, body)"""
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read()


def connect(daemon, address="127.0.0.1"):
    return http.client.HTTPConnection(daemon.ip, daemon.port, timeout=REPLY_SECONDS, source_address=(address, 0))


class Crowd:
    """`count` viewers in one process, which record when each picture arrived."""

    def __init__(self, daemon, count, directory):
        self._path = directory / "arrivals"
        self._process = subprocess.Popen(
            [tool("ts_client"), daemon.url(), "--connections", str(count), "--timed", str(count),
             "--arrivals", str(self._path)], stdout=subprocess.PIPE, text=True)
        try:  # It stands for other machines: the attackers may not delay it.
            os.sched_setscheduler(self._process.pid, os.SCHED_FIFO, os.sched_param(1))
        except PermissionError:
            pass
        daemon.wait_for(lambda m: m.sum("symcast_viewers") >= count, PATIENCE, "the viewers watch")

    def finish(self):
        """Ends them. [(viewer, arrival in seconds, PTS in ticks, bytes)] of all pictures."""
        stop(self._process)
        lines = [line.split() for line in self._path.read_text().splitlines()]
        return [(int(viewer), int(at) / 1e9, int(pts), int(size)) for viewer, at, pts, size in lines]


class HlsPlayer:
    """Loads the playlist and each new segment, once. `query`: of the segments. Raises what http.client does."""

    def __init__(self, daemon, address="127.0.0.1", query=""):
        self._connection, self._query = connect(daemon, address), query
        self.statuses = collections.Counter()
        index = self._load("/live/index.m3u8").decode()
        uri = next((line for line in index.splitlines() if line and not line.startswith("#")), None)
        if uri is None:
            raise http.client.HTTPException("no playlist")
        self.playlist = urllib.parse.urljoin("/live/index.m3u8", uri)
        self._last = None

    def _load(self, path):
        status, body = get(self._connection, path)
        self.statuses[status] += 1
        return body if status == 200 else b""

    def newest(self):
        """The number of the newest segment; None if there is none."""
        numbers = SEGMENT.findall(self._load(self.playlist).decode())
        return int(numbers[-1]) if numbers else None

    def step(self):
        """Loads the newest segment if it is new. Returns whether it did."""
        number = self.newest()
        if number is None or number == self._last:
            return False
        self._last = number
        self._load(urllib.parse.urljoin(self.playlist, f"{number}.m4s") + self._query)
        return True

    def close(self):
        self._connection.close()


class Repeating:
    """Calls step() on a thread, `apart` seconds after the last call, until the end of the `with` block."""

    def __init__(self, step, apart):
        self._step, self._apart = step, apart
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()

    def _run(self):
        while not self._ending.is_set():
            self._step()
            self._ending.wait(self._apart)


class HonestPlayer:
    """An HlsPlayer that comes again when its connection is closed. `statuses`: of all responses; "none" counts
    the requests without one."""

    def __init__(self, daemon, query=""):
        self._daemon, self._query, self._player = daemon, query, None
        self.statuses = collections.Counter()

    def step(self):
        try:
            self._player = self._player or HlsPlayer(self._daemon, query=self._query)
            self._player.step()
        except (OSError, http.client.HTTPException):
            self.statuses["none"] += 1
            self._player = None
        else:
            self.statuses += self._player.statuses
            self._player.statuses.clear()


class Newcomers:
    """From an address of its own each: one who watches a stream, and one who plays HLS. `served`, `refused`."""

    def __init__(self, daemon):
        self._daemon = daemon
        self._addresses = (f"127.1.{high}.{low}" for high in range(256) for low in range(1, 255))
        self._ways = itertools.cycle([self._watch, self._play])
        self.served, self.refused = 0, 0

    def step(self):
        for way in itertools.islice(self._ways, 2):
            try:
                served = way(next(self._addresses))
            except (OSError, http.client.HTTPException):
                served = False
            self.served += served
            self.refused += not served

    def _watch(self, address):
        connection = connect(self._daemon, address)
        try:
            connection.request("GET", "/live.ts")
            response = connection.getresponse()
            return response.status == 200 and len(response.read(FIRST_BYTES)) == FIRST_BYTES
        finally:
            connection.close()

    def _play(self, address):
        player = HlsPlayer(self._daemon, address)
        try:
            return player.step() and set(player.statuses) == {200}
        finally:
            player.close()


def wait_for_segments(daemon):
    """Returns the path of a playlist."""
    def ready():
        try:
            player = HlsPlayer(daemon)
            return player.newest() is not None and player.playlist
        except (OSError, http.client.HTTPException):
            return None
    return wait_until(ready, PATIENCE, "segments", 0.5)


def sleep_until(begin, seconds):
    time.sleep(max(0.0, begin + seconds - time.monotonic()))

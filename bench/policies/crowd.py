"""A crowd that watches one more stream of the server, on its loopback, while other viewers are measured."""

import json
import subprocess
import time

from bench.crowd import MTU, SETTLE
from netlab.daemon import wait_until
from netlab.line_reader import LineReader
from netlab.network import stop, tool

MAX_TRACES = 4  # that the server sends at once
LEAVE = 10  # seconds until the server has said that a viewer left
CONFIG = """
[server]
max_viewers = {limit}
max_viewers_per_address = {limit}
[[stream]]
name = "crowd"
source = {{ uri = "test:?size=640x360" }}
rate = {{ min = "1M", start = "1M", max = "1M" }}
encoder = {{ preset = "veryfast", crf = 23 }}
"""


def crowd_config(viewers):
    """To be added to a server's configuration; empty without a crowd."""
    return CONFIG.format(limit=viewers + 100) if viewers else ""


class Crowd:
    """In the `with` block, `viewers` watch."""

    def __init__(self, lab, daemon, viewers):
        lab.run_server(["ip", "link", "set", "lo", "mtu", str(MTU)]).wait()
        url = daemon.url("crowd", ip="127.0.0.1")
        self._client = lab.run_server([tool("ts_client"), url, "--connections", str(viewers), "--timed", "0"],
                                      stdout=subprocess.PIPE, text=True)
        self._asked = viewers
        time.sleep(SETTLE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            return stop(self._client)
        self._client.terminate()
        summary = json.loads(self._client.communicate()[0])["connections"]
        if summary["open"] < self._asked:
            raise RuntimeError(f"only {summary['open']} of the {self._asked} viewers of the crowd stayed")


class TraceFiles:
    """Takes lines of the server's API, and writes them to a file for each viewer, like those of --trace."""

    def __init__(self, stream, directory):
        self._stream, self._directory = stream, directory
        self.watching = set()  # viewers
        self.lost = 0  # lines

    def take(self, line):
        if line["event"] == "dropped":
            self.lost += line["lines"]
        elif viewer := line.pop("viewer", None):
            (self.watching.discard if line["event"] == "leave" else self.watching.add)(viewer)
            with open(self._directory / f"{self._stream}-{viewer}.jsonl", "a") as file:
                file.write(json.dumps(line) + "\n")


class TraceReader:
    """In the `with` block, writes the traces of a stream's viewers. Fails if lines were lost."""

    def __init__(self, daemon, stream, directory):
        self._stream = stream
        self._files = TraceFiles(stream, directory)
        self._reader = LineReader(daemon, f"/api/v1/trace?stream={stream}",
                                  lambda line: self._files.take(json.loads(line)))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not kind:
            wait_until(lambda: not self._files.watching, LEAVE, f"the viewers of {self._stream} have left")
        self._reader.end()
        if self._files.lost and not kind:
            raise RuntimeError(f"{self._files.lost} lines of the trace of {self._stream} were lost")

"""Compares the measuring player with stock ffmpeg, each behind its own link that becomes slower for a
while, with a private encoder that follows the link. Both have to show every frame that arrived, at
about the same time."""

import pathlib
import statistics
import subprocess
import tempfile
import threading
import time

from netlab.daemon import Daemon
from netlab.network import Netlab, stop
from netlab.timeline import match_pictures, read_sessions
from netlab.viewer import Viewer

RATES = (2e6, 0.6e6, 2e6)  # bit/s, of the links
EACH = 3  # seconds at each rate
ROUND_TRIP = 40  # ms
TAIL = 0.5  # seconds at the end, whose frames may still be in flight
PROBE = 64 << 10  # bytes that ffmpeg reads to find the tracks
# ffmpeg knows that a frame is complete when the next one begins, and passes it from thread to thread,
# which takes about three frame intervals.
LATER = 0.2  # seconds
CONFIG = """
[audio]
enabled = false
[rate]
max = "3M"
[[stream]]
name = "live"
source = "test:?size=320x240"
"""


class StockPlayer:
    """ffmpeg as a player; records the time stamp of each decoded frame, and when it was decoded."""

    COMMAND = ("ffmpeg", "-v", "warning", "-nostdin", "-probesize", str(PROBE), "-threads", "1",
               "-flags", "low_delay", "-copyts", "-i")
    OUTPUT = ("-map", "0:v", "-fps_mode", "passthrough", "-enc_time_base", "1:90000",
              "-f", "framecrc", "-flush_packets", "1", "-")

    def __init__(self, lab, client, url):
        self.pictures = []  # as from Viewer.pictures()
        self._process = lab.run_client([*self.COMMAND, url, *self.OUTPUT], client=client, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            if not line.startswith("#"):
                _, _, stamp, *_ = line.split(",")
                self.pictures.append({"pts": int(stamp) / 90_000,
                                      "arrival_ns": 1e9 * time.monotonic()})

    def finish(self):
        """Ends ffmpeg; returns its complaints."""
        self._process.terminate()
        said = self._process.stderr.read()
        self._reader.join()
        stop(self._process)
        return [line for line in said.splitlines() if "Exiting normally" not in line]


def check():
    """One line of findings for each player; raises ValueError if they do not agree."""
    came, shown, at, stock_came, stock_shown, stock_at = _watch()
    for name, first, second in (("measuring player", came, shown),
                                ("stock ffmpeg", stock_came, stock_shown)):
        if first != second:
            raise ValueError(f"the {name} shows {second} of {first} frames that arrived")
    if not 0 < stock_at - at < LATER:
        raise ValueError(f"stock ffmpeg has frames {1000 * (stock_at - at):.0f} ms after the "
                         f"measuring player, not 0 to {1000 * LATER:.0f}")
    return [f"measuring player: shows all {came} frames that arrived",
            f"stock ffmpeg: all {stock_came} without a complaint, "
            f"{1000 * (stock_at - at):.0f} ms later than the measuring player"]


def _watch():
    with tempfile.TemporaryDirectory(prefix="symcast-papers-") as name, \
            Netlab(clients=2, seed=1, rate=int(RATES[0]), delay_ms=ROUND_TRIP / 2) as lab:
        directory = pathlib.Path(name)
        with Daemon("--trace", str(directory / "trace"), directory=directory, lab=lab,
                    config=CONFIG) as daemon:
            urls = [daemon.url("live", ip=client.server_ip) for client in lab.clients]
            measuring = Viewer(urls[0], lab=lab, client=0, directory=directory)
            stock = StockPlayer(lab, 1, urls[1])
            for rate in RATES:
                lab.set(down_rate=int(rate))
                time.sleep(EACH)
            end = time.monotonic() - TAIL
            complaints = stock.finish()
            pictures = measuring.pictures(), stock.pictures
            measuring.finish()
        if complaints:
            raise ValueError(f"stock ffmpeg says: {complaints[0]}")
        traces = read_sessions(directory / "trace")
        agreements = [_agreement(seen, traces[client.address], end)
                      for seen, client in zip(pictures, lab.clients)]
    return *agreements[0], *agreements[1]


def _agreement(pictures, trace, end):
    """(number of frames that arrived, number shown, median time from acknowledged to shown)"""
    if not pictures:
        return len(trace), 0, 0.0
    came = [line for line in trace if line["event"] == "frame" and line["acked"]
            and line["captured"] < end]
    shown = {line["number"]: picture["arrival_ns"] / 1e9 - line["acked"]
             for line, picture in match_pictures(pictures, trace) if line["acked"]}
    later = [shown[line["number"]] for line in came if line["number"] in shown]
    return len(came), len(later), statistics.median(later)

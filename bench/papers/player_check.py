"""The measuring player beside stock ffmpeg: each behind a link of its own that becomes slower for a
while, served a private encoder that follows. Both are to show every picture that came to them, and to
have it at about the same time."""

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
EACH = 3  # seconds
ROUND_TRIP = 40  # ms
TAIL = 0.5  # seconds at the end: what was captured then may still be on its way
PROBE = 64 << 10  # bytes: ffmpeg looks for the tracks in no more
# ffmpeg knows that a picture is whole when the next one begins, and passes it on from thread to
# thread: about three pictures' time in all.
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
    """ffmpeg, which decodes what it reads and says of each picture its time stamp, and when."""

    COMMAND = ("ffmpeg", "-v", "warning", "-nostdin", "-probesize", str(PROBE), "-threads", "1",
               "-flags", "low_delay", "-copyts", "-i")
    OUTPUT = ("-map", "0:v", "-fps_mode", "passthrough", "-enc_time_base", "1:90000",
              "-f", "framecrc", "-flush_packets", "1", "-")

    def __init__(self, lab, client, url):
        self.pictures = []  # as Viewer's
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
        """What it complained of."""
        self._process.terminate()
        said = self._process.stderr.read()
        self._reader.join()
        stop(self._process)
        return [line for line in said.splitlines() if "Exiting normally" not in line]


def check():
    """What was found, one line for each player; raises ValueError when they do not agree."""
    came, shown, at, stock_came, stock_shown, stock_at = _watch()
    for name, first, second in (("measuring player", came, shown),
                                ("stock ffmpeg", stock_came, stock_shown)):
        if first != second:
            raise ValueError(f"the {name} shows {second} of {first} pictures that came")
    if not 0 < stock_at - at < LATER:
        raise ValueError(f"stock ffmpeg has pictures {1000 * (stock_at - at):.0f} ms after the "
                         f"measuring player, not 0 to {1000 * LATER:.0f}")
    return [f"measuring player: shows all {came} pictures that came",
            f"stock ffmpeg: all {stock_came}, complains of nothing, has them "
            f"{1000 * (stock_at - at):.0f} ms after the measuring player"]


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
    """(pictures that came, those of them that were shown, median time from acknowledged to
    shown)"""
    if not pictures:
        return len(trace), 0, 0.0
    came = [line for line in trace if line["event"] == "frame" and line["acked"]
            and line["captured"] < end]
    shown = {line["number"]: picture["arrival_ns"] / 1e9 - line["acked"]
             for line, picture in match_pictures(pictures, trace) if line["acked"]}
    later = [shown[line["number"]] for line in came if line["number"] in shown]
    return len(came), len(later), statistics.median(later)

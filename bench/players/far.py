"""Compares ways to watch a stream in Chromium over long paths of 5 Mbit/s, with and without losses that
no queue causes: progressive MP4 in the page at /, HLS in hls.js with the rate chosen by the server
(?abr=server), and HLS with the rate chosen by hls.js (?abr=player). The runs follow one another, each on
a fresh server; figures are medians over runs.

rate      Mbit/s that the link carried
stalled   seconds of pauses of 0.3 s or more without a new picture, and their number
age       of the picture on the screen, by the time drawn into it: median / maximum"""

import statistics
import tempfile
import time

from bench.players.falling_link import FAST, NOISE, SETTLE, WAYS, carried, parser
from netlab.browser.chromium import PLAYS, Browser
from netlab.browser.pictures import Pictures
from netlab.daemon import Daemon
from netlab.network import Netlab

PATHS = [(200, 0.005), (200, None), (100, 0.005), (40, 0.01)]  # RTT in ms, share of packets lost
QUEUE = 125_000  # bytes: 0.2 s at 5 Mbit/s


def measure(way, path, seconds):
    """Figures of one run."""
    rtt, loss = path
    start, argument = WAYS[way].play
    with (tempfile.TemporaryDirectory() as directory,
          Netlab(rate=FAST, delay_ms=rtt // 2, loss=loss, queue_bytes=QUEUE) as lab,
          Daemon("--source", NOISE, directory=directory, lab=lab) as daemon,
          Browser(lab) as browser):
        page = start(browser, daemon, argument)
        page.until(PLAYS)
        page.record()
        begin = time.monotonic() + SETTLE
        (began, before), (ended, after) = carried(lab, begin), carried(lab, begin + seconds)
        pictures = Pictures(page.recorded())
    stalls = pictures.stalls(began, ended)
    ages = [age for _, age in pictures.ages(began, ended)]
    return {"rate": (after - before) / (ended - began) / 1e6, "stalled": sum(stalls),
            "stalls": len(stalls), "age": statistics.median(ages), "age most": max(ages)}


def row(path, way, runs):
    figures = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    rtt, loss = path
    print(f"{rtt:4} ms {(loss or 0) * 100:4g} %  {way:<12}{figures['rate']:6.2f}{figures['stalled']:9.1f} in "
          f"{figures['stalls']:<4g}{figures['age']:7.2f} /{figures['age most']:6.2f}", flush=True)


def main(arguments):
    words = parser("far", __doc__)
    words.add_argument("--seconds", type=int, default=40, help="of each run [%(default)s]")
    options = words.parse_args(arguments)
    print(f"{'path':15}{'':12}{'rate':>6}{'stalled s':>15}{'age s':>17}")
    for path in PATHS:
        for way in options.ways or WAYS:
            row(path, way, [measure(way, path, options.seconds) for _ in range(options.runs)])

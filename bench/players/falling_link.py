"""The experiment of `players falling`: Chromium plays a stream behind a link that falls from 5 to
1 Mbit/s and returns.

    5 Mbit/s          1 Mbit/s        5 Mbit/s
    begin ........... fall .......... rise ........ end     CLOCK_MONOTONIC, seconds
"""

import argparse
import math
import pathlib
import time
from dataclasses import dataclass

from netlab.browser.chromium import BLANK, PLAYS, Browser, origin
from netlab.browser.pictures import Pictures
from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import read_trace

FAST, SLOW = "5M", "1M"
DELAY_MS = 20
QUEUE = 64_000  # bytes: 0.1 s at 5 Mbit/s, half a second at 1 Mbit/s
SETTLE = 5  # seconds after the first picture that count as start-up
NOISE = "live=test:?size=640x360&content=noise"  # with noise the encoder spends its whole rate
CHANGE = 1.1  # ratio of two rates from which a change counts


def in_page(browser, daemon, delivery):
    """The page at / plays the stream."""
    return browser.open(origin(daemon), delivery=delivery)


def by_hls_js(browser, daemon, query=""):
    """hls.js plays the stream, and catches up as in the page (web/src/player/segmented.ts). By default
    it does not catch up: each stall would leave it another second behind."""
    page = browser.open(origin(daemon), page=BLANK)
    page.do("play", player="hls", url=f"/live/index.m3u8{query}",
            settings={"maxLiveSyncPlaybackRate": 1.1, "liveSyncOnStallIncrease": 0.25})
    return page


@dataclass(frozen=True)
class Way:
    play: tuple  # in_page or by_hls_js, and its last argument
    bound: float  # seconds: promised limit of a picture's age


WAYS = {"progressive": Way((in_page, "mp4"), 1.0),
        "auto": Way((by_hls_js, "?abr=server"), 2.0),
        "player": Way((by_hls_js, "?abr=player"), 2.0)}


def way(name):
    """For argparse: the name of a way."""
    if name not in WAYS:
        raise argparse.ArgumentTypeError(f"unknown way: {name}")
    return name


def parser(bench, text):
    """Of the options that all benches of these ways have."""
    result = argparse.ArgumentParser(prog=f"players {bench}", description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("ways", nargs="*", type=way, metavar="WAY", help=f"of {', '.join(WAYS)} [all]")
    result.add_argument("--runs", type=int, default=1, help="runs of each way [%(default)s]")
    return result


def carried(lab, when):
    """Waits until `when`; returns (time, bits that the link has carried)."""
    time.sleep(max(0, when - time.monotonic()))
    return time.monotonic(), 8 * lab.counters()[0]["down"]["bytes_out"]


class FallingLink:
    """Runs the experiment; then holds the measurements. `phases`: seconds before the fall, on the slow
    link, and after the return."""

    def __init__(self, directory, way, phases, source=NOISE):
        self.bound = WAYS[way].bound
        trace = pathlib.Path(directory) / "trace"
        with Netlab(rate=FAST, delay_ms=DELAY_MS, queue_bytes=QUEUE) as lab:
            with Daemon("--source", source, "--trace", str(trace), directory=directory,
                        lab=lab) as daemon:
                self._watch(lab, daemon, WAYS[way].play, phases)
        self.trace = sorted((line for line in read_trace(trace) if "at" in line),
                            key=lambda line: line["at"])

    def _watch(self, lab, daemon, play, phases):
        start, argument = play
        with Browser(lab) as browser:
            page = start(browser, daemon, argument)
            page.until(PLAYS)
            page.record()
            self.begin = time.monotonic() + SETTLE
            self.fall = self.begin + phases[0]
            self.rise = self.fall + phases[1]
            self.end = self.rise + phases[2]
            self._carried = [carried(lab, self.begin), carried(lab, self.fall)]
            lab.set(down_rate=SLOW)
            self._carried.append(carried(lab, self.rise))
            lab.set(down_rate=FAST)
            self._carried.append(carried(lab, self.end))
            self.pictures = Pictures(page.recorded())

    def rates(self):
        """bit/s that the link carried: over the whole run, and in each phase."""
        spans = [(self._carried[0], self._carried[-1]), *zip(self._carried, self._carried[1:])]
        return [(bits - before) / (at - began) for (began, before), (at, bits) in spans]

    def ages(self, begin, end):
        """Age of the picture on the screen in seconds, ten times per second."""
        return [age for _, age in self.pictures.ages(begin, end)]

    def stalls(self):
        return self.pictures.stalls(self.begin, self.end)

    def back(self):
        """Seconds from the link's return until no picture is older than promised; infinite if some still
        are at the end."""
        late = [at for at, age in self.pictures.ages(self.rise, self.end) if age > self.bound]
        last = max(late, default=self.rise) - self.rise
        return last if last < self.end - self.rise - 1 else math.inf

    def switches(self):
        """Changes of the served rate, each as the ratio of the higher to the lower rate."""
        served = [line["served"] for line in self.trace
                  if line["event"] == "sample" and self.begin <= line["at"] < self.end]
        found, last = [], served[0]
        for rate in served:
            ratio = max(rate / last, last / rate)
            if ratio > CHANGE:
                found.append(ratio)
                last = rate
        return found

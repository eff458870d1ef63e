"""How far behind live players in Chromium are: the page at / with each delivery, and hls.js and dash.js
on an empty page. The players follow one another, each on a fresh server.

age        of the picture on the screen, by the time drawn into it: median / maximum on loopback
wrong      by how much the age that the page displays differs
set back   seconds in which the page catches up after its video was set back by 0.6 s
stalled    seconds of pauses of 0.3 s or more without a new picture, on loopback
outage     behind a link of 20 Mbit/s that loses everything for 8 s: seconds until no picture is older
           than promised, and the median age after that
"""

import argparse
import math
import statistics
import tempfile
import time
from dataclasses import dataclass

from bench.players.falling_link import by_hls_js, in_page
from netlab.browser.chromium import BLANK, PLAYS, VIDEO, Browser, origin
from netlab.browser.pictures import Pictures
from netlab.daemon import Daemon
from netlab.network import Netlab

SOURCE = "live=test:?size=640x360&fps=30"
SETTLE = 5  # seconds that count as start-up
WATCHED = 10  # seconds
SET_BACK = 0.6  # seconds: less than what the page skips instead of playing faster
BACK = 0.2  # seconds more than before that count as caught up
OUTAGE = 8  # seconds
FOLLOWED = 15  # seconds after the outage


def by_dash_js(browser, daemon, _):
    """dash.js plays the stream with its own settings."""
    page = browser.open(origin(daemon), page=BLANK)
    page.do("play", player="dash", url="/live/manifest.mpd")
    return page


@dataclass(frozen=True)
class Way:
    play: tuple
    near: float  # seconds: promised age on loopback
    outage: float | None = None  # seconds: promised age after an outage, in the page at /


WAYS = {"page, mp4": Way((in_page, "mp4"), 0.5, 1),
        "page, flv": Way((in_page, "flv"), 0.5, 1),
        "page, hls": Way((in_page, "hls"), 3, 3),
        "hls.js": Way((by_hls_js, ""), 2),
        "dash.js": Way((by_dash_js, ""), 3)}


def start(browser, daemon, way):
    """A page that has played for a while, and is recorded."""
    play, argument = way.play
    page = play(browser, daemon, argument)
    page.until(PLAYS)
    time.sleep(SETTLE)
    page.record()
    return page


def on_loopback(way):
    with (tempfile.TemporaryDirectory() as directory,
          Daemon("--source", SOURCE, directory=directory) as daemon, Browser() as browser):
        page = start(browser, daemon, way)
        time.sleep(WATCHED)
        pictures = Pictures(page.recorded())
        begin = pictures.shown()[0]
        ages = [age for _, age in pictures.ages(begin, pictures.ended)]
        figures = {"age": statistics.median(ages), "most": max(ages),
                   "stalled": sum(pictures.stalls(begin, pictures.ended)),
                   "wrong": math.nan, "set back": math.nan}
        if way.outage:
            figures["wrong"] = pictures.told_wrong(len(pictures.shown()))
        if way.near < 1:  # with HLS, hls.js catches up
            figures["set back"] = set_back(page, figures["age"])
        return figures


def set_back(page, usual):
    """Seconds until the page has caught up; infinite if never."""
    page.evaluate(f"{VIDEO}.currentTime -= {SET_BACK}")
    begin = time.monotonic()
    time.sleep(WATCHED)
    pictures = Pictures(page.recorded())
    return last_late(pictures.ages(begin, pictures.ended), usual + BACK)


def last_late(ages, bound):
    """Seconds from the first of [(time, age)] until none is above the bound; infinite if never."""
    last = max((at for at, age in ages if age > bound), default=ages[0][0])
    return last - ages[0][0] if last < ages[-1][0] - 1 else math.inf


def after_outage(way):
    with (tempfile.TemporaryDirectory() as directory, Netlab(rate="20M", delay_ms=20) as lab,
          Daemon("--source", SOURCE, directory=directory, lab=lab) as daemon, Browser(lab) as browser):
        page = start(browser, daemon, way)
        time.sleep(1)
        lab.set(both_blackhole="on")
        time.sleep(OUTAGE)
        lab.set(both_blackhole="off")
        end = time.monotonic() + FOLLOWED
        ages = []
        while time.monotonic() < end:
            ages.append((time.monotonic(), Pictures(page.recorded()).age()))
            time.sleep(0.2)
        back = last_late(ages, way.outage)
        later = [age for at, age in ages if at - ages[0][0] > back]
        return {"back": back, "then": statistics.median(later) if later else math.nan}


def seconds(value, width, digits=1):
    text = "never" if math.isinf(value) else "–" if math.isnan(value) else f"{value:.{digits}f}"
    return f"{text:>{width}}"


def main(arguments):
    parser = argparse.ArgumentParser(prog="players live", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    print(f"{SOURCE}; promised ages in brackets, all figures in seconds")
    print(f"{'':12}{'age':>20}{'wrong':>8}{'set back':>10}{'stalled':>9}{'outage: back, then':>25}")
    for name, way in WAYS.items():
        near = on_loopback(way)
        age = f"{near['age']:.2f} /{near['most']:5.2f} ({way.near:g})"
        outage = ""
        if way.outage:
            after = after_outage(way)
            outage = f"{seconds(after['back'], 6)}{seconds(after['then'], 8, 2)} ({way.outage:g})"
        print(f"{name:<12}{age:>20}{seconds(near['wrong'], 8, 3)}{seconds(near['set back'], 10)}"
              f"{seconds(near['stalled'], 9)}{outage:>25}", flush=True)

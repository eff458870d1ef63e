"""How soon a first frame arrives on loopback: after the start of a server, for one who joins later, and
beside another viewer. A join should take 0.2 s at most. How soon the server ends after SIGTERM, alone and
with five viewers: 2 s at most. Then how soon health check, status page, API, events, metrics and player
page show that a source has stopped, and how far they are apart, in ten kinds of trouble. Last, how busy the
machine was."""

import argparse
import os
import pathlib
import tempfile
import time
import urllib.error
import urllib.request

from bench.latency.surfaces import FIRST, KINDS, Run as SurfacesRun
from netlab.daemon import Daemon, wait_until
from netlab.timeline import percentile
from netlab.viewer import Viewer

SOURCE = "live=test:?size=320x180&fps=30"
CONFIG = '[groups]\nlinger = "0s"\n'
NO_WAIT = CONFIG + '[source]\nfirst_picture_wait = "0s"\n'


class Run:
    """A server, and viewers that end with it."""

    def __init__(self, directory):
        self._directory = pathlib.Path(directory)
        self._viewers = []
        self.daemon = Daemon("--source", SOURCE, directory=self._directory, config=CONFIG)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for viewer in self._viewers:
            viewer.__exit__()
        self.daemon.__exit__(kind)

    def watch(self, *options):
        """A viewer that has received a frame."""
        viewer = Viewer(self.daemon.url(), *options, directory=self._directory,
                        name=f"viewer{len(self._viewers)}")
        self._viewers.append(viewer)
        viewer.receive(1)
        return viewer

    def join(self, others):
        """The seconds until a new viewer's first frame; it leaves, and its group closes if it is alone."""
        seconds = self.watch().finish()["first_picture_s"]
        self.daemon.wait_for(lambda m: m.all("symcast_viewers") == [others] and
                             len(m.all("symcast_group_viewers")) == others, 30, "it has left")
        return seconds


def joins(others, count):
    """Seconds until the first frame of `count` viewers, one after the other."""
    with tempfile.TemporaryDirectory() as directory, Run(directory) as run:
        for _ in range(others):
            run.watch().receive(60)
        return [run.join(others) for _ in range(count)]


def has_frame(daemon):
    try:
        with urllib.request.urlopen(daemon.url(), timeout=60) as stream:
            return stream.read(1)
    except urllib.error.HTTPError:
        return None


def starts(count, config=CONFIG):
    """Seconds from the start of `count` servers until a viewer, who asks again after a 503, receives a frame."""
    seconds = []
    for _ in range(count):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as directory, \
                Daemon("--source", SOURCE, directory=directory, config=config, sources_play=False) as daemon:
            wait_until(lambda: has_frame(daemon), 60, "a frame", interval=0.01)  # noqa: B023
            seconds.append(time.monotonic() - begin)
    return seconds


def ends(viewers, count):
    """Seconds from SIGTERM to the end of `count` servers."""
    seconds = []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as directory, Run(directory) as run:
            for _ in range(viewers):
                run.watch()
            time.sleep(1)  # until the viewers have caught up
            seconds.append(run.daemon.end())
    return seconds


def print_row(title, times):
    figures = [1e3 * value for value in (percentile(times, 50), percentile(times, 90), max(times))]
    print(f"{title:<36}" + "".join(f"{value:>8.0f}" for value in figures), flush=True)


def apart(times):
    return max(times.values()) - min(times.values())


def print_surfaces(count):
    with tempfile.TemporaryDirectory() as directory, SurfacesRun(pathlib.Path(directory)) as run:
        stops, returns = run.measure(FIRST, count)
        for surface in stops[0]:
            print_row(f"{FIRST}: {surface} says so", [times[surface] for times in stops])
        print_row("first to last surface", [apart(times) for times in stops])
        print_row("the same when it returns", returns)
        for kind in KINDS:
            stops, _ = run.measure(kind, count)
            print_row(f"{kind}: first", [min(times.values()) for times in stops])
            print_row(f"{kind}: to last", [apart(times) for times in stops])


def main():
    parser = argparse.ArgumentParser(prog="latency", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--joins", type=int, default=30)
    parser.add_argument("--ends", type=int, default=5)
    parser.add_argument("--stops", type=int, default=5, help="of a source")
    options = parser.parse_args()
    print(f"{'milliseconds':<36}{'p50':>8}{'p90':>8}{'max':>8}")
    for title, measure in (("start, first frame", lambda: starts(options.starts)),
                           ("the same, 503 until there is one", lambda: starts(options.starts, NO_WAIT)),
                           ("join, no viewer", lambda: joins(0, options.joins)),
                           ("join, another viewer", lambda: joins(1, options.joins)),
                           ("end, no viewer", lambda: ends(0, options.ends)),
                           ("end, five viewers", lambda: ends(5, options.ends))):
        print_row(title, measure())
    print_surfaces(options.stops)
    print(f"processes that ran or waited for a processor, mean of five minutes: {os.getloadavg()[1]:.1f}")


main()

"""The process of a source is killed, crashes or stops, again and again, beside another stream. A file plays in
both.

lost           seconds until the server has noticed
again          seconds until there are pictures of the source again; wanted at most 2, and 3 more for a process
               that is stopped, which the server has to find out
viewer's gap   longest time without a picture, of the viewer of the source that is lost
other's gap    of the viewer of the other stream
viewers        that stayed connected, of all"""

import os
import pathlib
import signal
import statistics
import tempfile
import time

from bench.hostile.figures import longest_gap, verdict
from bench.hostile.sources import media_folder
from netlab.daemon import Daemon, wait_until
from netlab.lying_media import GOOD
from netlab.viewer import Viewer

WANTED = {"SEGV": 2, "KILL": 2, "STOP": 5}  # seconds; the watchdog's time is 3 s
STREAMS = ("bad", "good")
VIEWERS = 2  # of each stream
PATIENCE = 60  # seconds
APART = 3  # seconds of play between two kills: the wait before a restart is reset


def frames_of(daemon, stream):
    return daemon.metrics().sum("symcast_source_frames_total", stream=stream)


class Kill:
    """One, with what came of it."""

    def __init__(self, daemon, viewers, sign):
        (pid,) = daemon.source_processes("bad")
        lost = daemon.log().count("source_lost stream=bad")
        begin = time.monotonic()
        os.kill(pid, signal.Signals[f"SIG{sign}"])
        wait_until(lambda: daemon.log().count("source_lost stream=bad") > lost, PATIENCE, "the loss", 0.01)
        self.lost = time.monotonic() - begin
        before = frames_of(daemon, "bad")
        wait_until(lambda: frames_of(daemon, "bad") > before, PATIENCE, "pictures", 0.02)
        self.again = time.monotonic() - begin
        time.sleep(APART)
        end = time.monotonic()
        self.gaps = {name: max(longest_gap([p["arrival_ns"] / 1e9 for p in viewer.pictures()], begin, end)
                               for viewer in viewers[name]) for name in STREAMS}


def row(sign, kills, connected):
    def figures(values):
        return f"{statistics.median(values):>8.2f}{max(values):>7.2f}"
    return (f"{sign:8}{figures([k.lost for k in kills])}{figures([k.again for k in kills])}"
            f"{1000 * max(k.gaps['bad'] for k in kills):>14.0f}{1000 * max(k.gaps['good'] for k in kills):>13.0f}"
            f"{connected:>6} of {len(STREAMS) * VIEWERS}")


def add_options(parser):
    parser.add_argument("--times", type=int, default=5, help="of each signal [%(default)s]")
    parser.add_argument("--media", type=pathlib.Path, help="folder with the lying media; made if it is missing")


def run(options):
    clip = media_folder(options) / GOOD
    words = [word for name in STREAMS for word in ("--source", f"{name}=file:{clip}")]
    print(f"{'':8}{'lost, s':>15}{'again, s':>15}\n{'signal':8}{'p50':>8}{'most':>7}{'p50':>8}{'most':>7}"
          f"{'gap, ms':>14}{'other, ms':>13}{'viewers':>11}")
    late = []
    for sign, wanted in WANTED.items():
        with tempfile.TemporaryDirectory() as directory, \
                Daemon(*words, directory=directory) as daemon:
            folder = pathlib.Path(directory)
            viewers = {name: [Viewer(daemon.url(name), directory=folder, name=f"{name}{i}")
                              for i in range(VIEWERS)] for name in STREAMS}
            everybody = [viewer for name in STREAMS for viewer in viewers[name]]
            try:
                for viewer in everybody:
                    viewer.receive(30)
                time.sleep(APART)
                kills = [Kill(daemon, viewers, sign) for _ in range(options.times)]
                connected = sum(viewer.watching() for viewer in everybody)
                _, reason, _ = verdict(daemon.log(), "bad")
            finally:
                for viewer in everybody:
                    viewer.__exit__()
        print(f"{row(sign, kills, connected)}  {reason}", flush=True)
        late += [sign] * (max(k.again for k in kills) > wanted) + [f"{sign} (viewers)"] * (connected < len(everybody))
    print(f"later than wanted, or with viewers who had to come again: {' '.join(late) or 'none'}")

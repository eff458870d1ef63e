"""How evenly a viewer gets the frames of live sources, and what delay the server adds for that. The
sources are MPEG-TS by UDP on loopback: even, faster than the limit of 30, in bursts, with timestamps that
wobble. An even source should wait less than 40 ms.

frames/s, step   of the frames that a viewer received: rate, and p1 and p99 of the time between their pts
arrival          p1 and p99 of the time between their arrivals
wait             symcast_source_dejitter_seconds, the longest of the last seconds: p50 and max over the run
lost             frames per hundred that the server dropped below the limit, or before encoding"""

import argparse
import collections
import pathlib
import socket
import subprocess
import tempfile
import time

from netlab.daemon import Daemon, free_port
from netlab.timeline import percentile
from netlab.ts_sender import TsSender
from netlab.viewer import Viewer

Case = collections.namedtuple("Case", "title rate burst wobble", defaults=(1, 0.0))
CASES = [
    Case("even 25", 25), Case("even 30", 30), Case("even 50", 50), Case("even 59.94", 60000 / 1001),
    Case("30, stamps ±12 ms", 30, wobble=0.012), Case("25, bursts of 3", 25, 3),
    Case("25, bursts of 6", 25, 6), Case("25, bursts of 12", 25, 12), Case("50, bursts of 12", 50, 12),
    Case("25, bursts of 20", 25, 20), Case("25, bursts of 50", 25, 50), Case("25, bursts of 100", 25, 100),
]
CONFIG = '[groups]\nlinger = "1h"\n[encoder]\npreset = "ultrafast"\n'


def warm_up(case):
    """Seconds until the rate, the jitter and recurring bursts are known."""
    return 5 + 3 * case.burst / case.rate


def make_clip(path, rate, seconds):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=640x360:r={rate}",
                    "-t", str(seconds), "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g",
                    str(2 * round(rate)), "-pix_fmt", "yuv420p", str(path)], check=True)


def total(metrics, *names):
    return sum(metrics.sum(f"symcast_{name}_total") for name in names)


def measure(case, seconds, directory):
    port = free_port(socket.SOCK_DGRAM)
    clip = directory / "clip.ts"
    make_clip(clip, case.rate, seconds + warm_up(case) + 10)
    waits = []
    with Daemon("--source", f"live=udp://127.0.0.1:{port}", directory=directory, config=CONFIG,
                sources_play=False) as daemon, TsSender(clip, port, *case[1:]):
        daemon.wait_for(lambda m: m.sum("symcast_source_status", status="playing") == 1, 30, "it plays")
        with Viewer(daemon.url(), directory=directory) as viewer:
            viewer.watch(warm_up(case))
            first, before = len(viewer.pictures()), daemon.metrics()
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(0.5)
                waits.append(daemon.metrics().sum("symcast_source_dejitter_seconds"))
            after, pictures = daemon.metrics(), viewer.pictures()[first:]
    lost = total(after, "group_frames_late") - total(before, "group_frames_late")
    dropped = total(after, "source_frames_dropped") - total(before, "source_frames_dropped")
    if case.rate <= 30:
        lost += dropped
    return pictures, waits, 100 * lost / len(pictures)


def steps(times):
    """p1 and p99 of the milliseconds between successive times."""
    gaps = [1e3 * (b - a) for a, b in zip(times, times[1:])]
    return percentile(gaps, 1), percentile(gaps, 99)


def row(case, seconds):
    with tempfile.TemporaryDirectory() as directory:
        pictures, waits, lost = measure(case, seconds, pathlib.Path(directory))
    pts = [picture["pts"] for picture in pictures]
    rate = (len(pts) - 1) / (pts[-1] - pts[0])
    arrivals = [picture["arrival_ns"] / 1e9 for picture in pictures]
    figures = [*steps(pts), *steps(arrivals), 1e3 * percentile(waits, 50), 1e3 * max(waits)]
    return f"{case.title:<20}{rate:>9.2f}" + "".join(f"{f:>8.0f}" for f in figures) + f"{lost:>7.1f}"


def main():
    parser = argparse.ArgumentParser(prog="rhythm", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="per source, after 5 s and three bursts (default 10)")
    options = parser.parse_args()
    print(f"{'':<20}{'frames/s':>9}{'step, ms':>16}{'arrival, ms':>16}{'wait, ms':>16}{'lost, %':>7}")
    print(f"{'source':<29}" + f"{'p1':>8}{'p99':>8}" * 2 + f"{'p50':>8}{'max':>8}")
    for case in CASES:
        print(row(case, options.seconds), flush=True)


main()

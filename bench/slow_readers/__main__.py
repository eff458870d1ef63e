"""Players that are slow themselves, among many others. Of a 720p stream of 2 Mbit/s with audio, in the
default configuration, 450 viewers read all that comes, and then 50 join who read 500 kbit/s. On loopback
with the packets of an Ethernet (MTU 1500; needs root, else with those of
64 KB).

Prints when half and when all of the slow viewers watched a group with a rate that they can take, the
share that they lost of the frames captured from 5 s after their start on, and the delay of the others,
before and beside them. Delay is from the capture time in the pictures to the arrival of the frame's last byte."""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

from bench import crowd
from bench.crowd import FRAMES_PER_SECOND, SETTLE, SOURCE, TIMED
from bench.fanout.figures import Delay
from bench.slow_readers.figures import moved_by, slow_viewers, times_of
from netlab.daemon import Daemon
from netlab.network import tool

READS = 500_000  # bit/s
GRACE = 5  # seconds in which the slow viewers are to be moved
SAMPLES_APART = 0.25  # seconds


def watch(url, viewers, timed, settle, seconds, *more):
    """Starts viewers; `timed` of them count their frames from `settle` to `seconds` after their start."""
    return subprocess.Popen(
        [tool("ts_client"), url, "--connections", str(viewers), "--timed", str(timed),
         "--settle", str(settle), "--seconds", str(seconds), *more], stdout=subprocess.PIPE, text=True)


def summary(client):
    return json.loads(client.communicate()[0])


def share_received(summary):
    """Of the frames from the first that counts to the last."""
    watched = summary["timed"]["watched"]
    return watched["frames"] / (watched["seconds"] * FRAMES_PER_SECOND + summary["timed"]["connections"])


def take_samples(daemon, seconds):
    """[(seconds since the start, slow viewers in groups with a rate that they can take)]"""
    start = time.monotonic()
    samples = []
    while (at := time.monotonic() - start) < seconds:
        samples.append((at, slow_viewers(daemon.metrics(), READS)))
        time.sleep(SAMPLES_APART)
    return samples


def watch_fast(daemon, viewers, seconds, directory):
    recording = pathlib.Path(directory, "stream")
    client = watch(daemon.url(), viewers, min(TIMED, viewers), SETTLE, SETTLE + seconds, "--record", recording)
    return client, recording


def print_fast(name, client, recording):
    result = summary(client)
    delay = Delay.of(result["timed"]["lag_s"], crowd.stream_offset(recording))
    print(f"{name:<34}p50 {delay.p50:.0f} ms, p95 {delay.p95:.0f} ms, p99 {delay.p99:.0f} ms, "
          f"{100 * share_received(result):.1f} % of the frames, {result['connections']['open']} of "
          f"{result['connections']['asked']} to the end", flush=True)


def run(options):
    with tempfile.TemporaryDirectory() as directory, \
            Daemon("--source", SOURCE, config=crowd.config(options.fast + options.slow + 1),
                   directory=directory) as daemon:
        fast, recording = watch_fast(daemon, options.fast, options.seconds, directory)
        print_fast(f"{options.fast} viewers", fast, recording)

        seconds = GRACE + options.seconds
        fast, recording = watch_fast(daemon, options.fast, seconds, directory)
        time.sleep(SETTLE)
        slow = watch(daemon.url(), options.slow, options.slow, GRACE, seconds, "--read-rate", str(READS))
        samples = take_samples(daemon, seconds - 1)
        received = summary(slow)
        print_fast(f"{options.fast} viewers beside {options.slow} slow ones", fast, recording)
        half, most = times_of(samples, (options.slow + 1) // 2), times_of(samples, options.slow)
        print(f"the slow ones: {half} s until half, {most} s until all watch a group that they can take; "
              f"{moved_by(samples, GRACE)} of {options.slow} after {GRACE} s; then "
              f"{100 * (1 - share_received(received)):.1f} % of the frames lost; "
              f"{received['connections']['open']} of {received['connections']['asked']} to the end",
              flush=True)


def main():
    parser = argparse.ArgumentParser(prog="slow_readers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", type=int, default=450)
    parser.add_argument("--slow", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30, help="of each measurement")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    crowd.enter_namespace("slow_readers")
    crowd.raise_file_limit()
    for _ in range(options.repeats):
        run(options)


main()

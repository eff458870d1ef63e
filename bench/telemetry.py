#!/usr/bin/python3
"""What looking at the viewers' connections costs: many viewers of a slow stream on loopback, with
telemetry and without, alternately. CPU time of the event loops and of the viewers' process (which
on loopback runs the server's receive path too), as shares of one core.

off: no samples, no marks, events not pushed. samples: TCP_INFO alone. default: as built in. all:
every picture is sampled and marked, whatever it costs."""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "netlab"))

from daemon import Daemon  # noqa: E402
from netlab import stop, tool  # noqa: E402

CONFIG = """
[server]
max_viewers = {viewers}
max_viewers_per_address = {viewers}
[kernel]
events = "{events}"
[telemetry]
samples_per_second = {samples}
marks_per_second = {marks}
[groups]
max = 1
[audio]
enabled = false
[encoder]
preset = "ultrafast"
[rate]
start = "100k"
min = "100k"
max = "100k"
"""
UNBOUNDED = 10_000_000
MODES = {
    "off": {"events": "tcp_info", "samples": 0, "marks": 0},
    "samples": {"events": "tcp_info", "samples": 50_000, "marks": 0},
    "default": {"events": "auto", "samples": 50_000, "marks": 4_000},
    "all": {"events": "auto", "samples": UNBOUNDED, "marks": UNBOUNDED},
}
SETTLE = 3  # seconds: the joiners have caught up, the budgets know what is asked


def run_seconds(pid, names):
    """CPU seconds of a process's threads so far, of those whose name begins with `names`."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(names):
            total += int((task / "schedstat").read_text().split()[0]) / 1e9
    return total


def delivered(daemon, source):
    return daemon.metrics().sum("symcast_frames_delivered_total", source=source)


def measure(daemon, client, seconds):
    def counters():
        return (time.monotonic(), run_seconds(daemon.process.pid, "loop"),
                run_seconds(client.pid, ""), delivered(daemon, "timestamp"),
                daemon.metrics().sum("symcast_sent_bytes_total"))

    before = counters()
    time.sleep(seconds)
    took, loops, viewers, marked, sent = (b - a for a, b in zip(before, counters()))
    return {"loops": loops / took, "viewers": viewers / took, "marked": marked / took,
            "sent": sent / took}


def run(mode, options):
    with tempfile.TemporaryDirectory() as directory:
        source = f"live=test:?size=192x108&fps={options.fps}&content=noise"
        config = CONFIG.format(viewers=options.viewers, **MODES[mode])
        with Daemon("--source", source, directory=directory, config=config) as daemon:
            client = subprocess.Popen(
                [tool("ts_client"), daemon.url(), "--connections", str(options.viewers)],
                stdout=subprocess.DEVNULL)
            try:
                daemon.wait_for(lambda m: m.sum("symcast_viewers") == options.viewers, 60,
                                "all viewers have joined")
                time.sleep(SETTLE)
                return measure(daemon, client, options.seconds)
            finally:
                stop(client)


def raise_file_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=5000)
    parser.add_argument("--fps", type=int, default=10, help="pictures per second")
    parser.add_argument("--seconds", type=float, default=10, help="of each run")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    raise_file_limit()

    print(f"{options.viewers} viewers of {options.fps} pictures/s, {options.repeats} x "
          f"{options.seconds:g} s each; medians; shares of one core")
    results = {mode: [] for mode in MODES}
    for _ in range(options.repeats):
        for mode in MODES:
            results[mode].append(run(mode, options))
    median = {mode: {key: statistics.median(r[key] for r in runs) for key in runs[0]}
              for mode, runs in results.items()}

    print(f"{'':<10}{'event loops':>12}{'viewers':>10}{'both':>10}{'more than off':>15}"
          f"{'marks/s':>10}{'Mbit/s':>10}")
    for mode, m in median.items():
        both = m["loops"] + m["viewers"]
        off = median["off"]["loops"] + median["off"]["viewers"]
        print(f"{mode:<10}{100 * m['loops']:>10.1f} %{100 * m['viewers']:>8.1f} %"
              f"{100 * both:>8.1f} %{100 * (both - off):>13.1f} %{m['marked']:>10.0f}"
              f"{8e-6 * m['sent']:>10.0f}")


main()

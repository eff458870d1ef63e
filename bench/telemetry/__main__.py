"""CPU cost of sampling the viewers' connections: many viewers of a slow stream on loopback, alternately
with telemetry and without. Prints CPU time of the event loops and of the viewers' process (which on
loopback runs the server's receive path too), as shares of one core.

off: no samples, no ACK timestamps, no pushed events. samples: TCP_INFO only. default: the built-in
configuration. all: a sample and an ACK timestamp for every frame, without limits."""

import argparse
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

from netlab.daemon import Daemon
from netlab.network import stop, tool

CONFIG = """
[server]
max_viewers = {viewers}
max_viewers_per_address = {viewers}
[kernel]
events = "{events}"
[telemetry]
samples_per_second = {samples}
ack_timestamps_per_second = {marks}
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
    "samples": {"events": "tcp_info", "samples": 20_000, "marks": 0},
    "default": {"events": "auto", "samples": 20_000, "marks": 2_000},
    "all": {"events": "auto", "samples": UNBOUNDED, "marks": UNBOUNDED},
}
SETTLE = 3  # seconds until new viewers have caught up and the budgets have adapted


def run_seconds(pid, names):
    """CPU seconds used by those threads of a process whose names begin with `names`."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(names):
            total += int((task / "schedstat").read_text().split()[0]) / 1e9
    return total


def counters(daemon, client):
    metrics = daemon.metrics()
    return {"loops": run_seconds(daemon.process.pid, "loop"),
            "viewers": run_seconds(client.pid, ""),
            "marks": metrics.sum("symcast_frames_delivered_total", source="timestamp"),
            "sent": metrics.sum("symcast_sent_bytes_total"),
            "encoded": metrics.sum("symcast_group_bytes_total"),
            "frames": metrics.sum("symcast_group_frames_total")}


def measure(daemon, client, options):
    """Shares of one core, scaled as if every frame had been served in time; a busy machine serves
    some late."""
    before = counters(daemon, client)
    time.sleep(options.seconds)
    after = counters(daemon, client)
    grown = {name: value - before[name] for name, value in after.items()}
    served = grown["sent"] / (grown["encoded"] / grown["frames"])
    per_second = options.viewers * options.fps / served
    return {name: grown[name] * per_second for name in ("loops", "viewers", "marks")}


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
                return measure(daemon, client, options)
            finally:
                stop(client)


def raise_file_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    parser = argparse.ArgumentParser(prog="telemetry", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=5000)
    parser.add_argument("--fps", type=int, default=10, help="frames per second")
    parser.add_argument("--seconds", type=float, default=10, help="of each run")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    raise_file_limit()

    print(f"{options.viewers} viewers of {options.fps} frames/s, {options.repeats} x "
          f"{options.seconds:g} s each; medians; shares of one core")
    results = {mode: [] for mode in MODES}
    for _ in range(options.repeats):
        for mode in MODES:
            results[mode].append(run(mode, options))
    median = {mode: {key: statistics.median(r[key] for r in runs) for key in runs[0]}
              for mode, runs in results.items()}

    print(f"{'':<10}{'event loops':>12}{'viewers':>10}{'both':>10}{'more than off':>15}"
          f"{'marks/s':>10}")
    off = median["off"]["loops"] + median["off"]["viewers"]
    for mode, m in median.items():
        both = m["loops"] + m["viewers"]
        print(f"{mode:<10}{100 * m['loops']:>10.1f} %{100 * m['viewers']:>8.1f} %"
              f"{100 * both:>8.1f} %{100 * (both - off):>13.1f} %{m['marks']:>10.0f}")


main()

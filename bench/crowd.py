"""Many viewers of a server on loopback: its configuration, its network, and what one of the viewers
says of the delay."""

import json
import os
import pathlib
import resource
import subprocess
import sys

from bench.tools import bench_tool

SOURCE = "live=test:?size=1280x720"
CONFIG = """
[server]
max_viewers = {viewers}
max_viewers_per_address = {viewers}
stall_timeout = "{stall_timeout}"
[rate]
start = "{rate}"
max = "{rate}"
"""
NO_TELEMETRY = """
[telemetry]
samples_per_second = 0
ack_timestamps_per_second = 0
[kernel]
events = "tcp_info"
"""
FRAMES_PER_SECOND = 30
TIMED = 200  # readers that take the stream apart
SETTLE = 8  # seconds until the readers have joined and caught up
IN_NAMESPACE = "SYMCAST_BENCH_NAMESPACE"
MTU = 1500


def config(viewers, rate="2M", stall_timeout="10s"):
    """Of a server for `viewers`, all of the same address."""
    return CONFIG.format(viewers=viewers, rate=rate, stall_timeout=stall_timeout)


def raise_file_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def stream_offset(recording):
    """Seconds from a timestamp of symcast's to the capture time of its picture."""
    output = subprocess.run([bench_tool("stream_offset"), recording], stdout=subprocess.PIPE, check=True)
    return json.loads(output.stdout)["offset_s"]


def enter_namespace(bench):
    """Runs this bench in a network namespace of its own, if that is allowed. Returns the MTU of its
    loopback device."""
    if os.geteuid() != 0:
        return int(pathlib.Path("/sys/class/net/lo/mtu").read_text())
    if not os.environ.get(IN_NAMESPACE):
        os.environ[IN_NAMESPACE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-m", f"bench.{bench}", *sys.argv[1:]])
    subprocess.run(["ip", "link", "set", "lo", "mtu", str(MTU), "up"], check=True)
    return MTU

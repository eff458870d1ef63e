"""How much of what a viewer is sent gets lost if the queue of their link has room for a few packets. The highest
rate is 0.7 of the link's, so that only frames that come faster than the link carries them are lost.

again   segments of 1000 that are sent again
Mbit/s  what the viewer is sent

`off` has a fixed rate, for which BBR sets the pace."""

import argparse
import pathlib
import tempfile
import time

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.viewer import Viewer

LINKS = [(14, 5, 3), (14, 8, 15), (14, 20, 15), (20, 8, 3), (20, 12, 50)]  # Mbit/s, packets, ms each way
SETTLED, SECONDS = 8, 25
PACKET = 1500  # bytes
SENDERS = [("symbiosis", "cubic"), ("symbiosis", "bbr"), ("off", "bbr")]


def measure(mbps, packets, delay, policy, control, directory):
    """Returns (segments of 1000 that are sent again, Mbit/s)."""
    config = (f'[groups]\nmax = 1\n[rate]\nmax = "{700 * mbps}k"\nstart = "{700 * mbps}k"\n'
              f'[encoder]\npreset = "ultrafast"\ncrf = 8\n[tcp]\ncongestion_control = "{control}"\n')
    with Netlab(clients=1, rate=f"{mbps}M", delay_ms=delay, queue_bytes=packets * PACKET) as lab, \
            Daemon("--source", "live=test:?size=640x360&content=noise", "--policy", policy, directory=directory,
                   config=config, lab=lab) as daemon:
        with Viewer(daemon.url(ip=lab.clients[0].server_ip), lab=lab, directory=directory):
            time.sleep(SETTLED)
            before = daemon.metrics()
            time.sleep(SECONDS)
            after = daemon.metrics()

    def gain(metric):
        return after.sum(metric) - before.sum(metric)
    again = gain("symcast_tcp_segments_retransmitted_total") / gain("symcast_tcp_segments_sent_total")
    return 1000 * again, 8 * gain("symcast_sent_bytes_total") / SECONDS / 1e6


def main():
    parser = argparse.ArgumentParser(prog="short_queues", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    print(f"{'link':>10}{'queue':>12}{'round trip':>12}  {'policy':<10}{'control':<8}{'again':>7}{'Mbit/s':>8}")
    for mbps, packets, delay in LINKS:
        for policy, control in SENDERS:
            with tempfile.TemporaryDirectory() as directory:
                again, rate = measure(mbps, packets, delay, policy, control, pathlib.Path(directory))
            print(f"{mbps:>3} Mbit/s{packets:>4} packets{2 * delay:>9} ms  {policy:<10}{control:<8}{again:7.1f}"
                  f"{rate:8.2f}", flush=True)


main()

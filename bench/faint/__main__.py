"""How late the audio and the picture of an FLV viewer are while their link carries little more than the audio, or
less. The link has 5 Mbit/s for 10 s, then the rate of the column for 40 s, then 5 Mbit/s again.

late        p50 and p95, in seconds, by which audio and frames arrive later than the earliest did before
recovered   the same after the link has its rate again
paused      seconds for which the encoder left the picture out (symcast_group_paused_seconds_total)"""

import argparse
import collections
import contextlib
import pathlib
import socket
import tempfile
import threading
import time

from netlab.daemon import Daemon
from netlab.network import Netlab, open_socket
from netlab.timeline import percentile

BEFORE, FAINT, AFTER = 10, 40, 10
SETTLED = 10  # seconds in which the data drains that was in flight when the link fell
KINDS = {8: "audio", 9: "picture"}  # of FLV tags
Tag = collections.namedtuple("Tag", "kind sent arrived")


def flv_tags(stream):
    """The tags of an FLV response, read from a file-like object."""
    while stream.readline().strip():
        pass  # the response's head
    stream.read(9 + 4)
    with contextlib.suppress(ConnectionResetError):  # shutdown() while data waits
        while len(head := stream.read(11)) == 11:
            size, low, high = int.from_bytes(head[1:4], "big"), int.from_bytes(head[4:7], "big"), head[7]
            if len(stream.read(size + 4)) < size + 4:
                return
            yield Tag(KINDS.get(head[0]), (high << 24 | low) / 1000, time.monotonic())


def watch(rate, control, directory):
    """Returns the tags, with times since the link's first second, and the seconds of pause."""
    config = f'[encoder]\npreset = "ultrafast"\n[tcp]\ncongestion_control = "{control}"\n'
    with Netlab(clients=1, rate="5M", delay_ms=20, queue_bytes=64000) as lab, \
            Daemon("--source", "live=test:?size=640x360", directory=directory, config=config, lab=lab) as daemon:
        client = lab.clients[0]
        with contextlib.closing(open_socket(client.netns)) as connection:
            connection.connect((client.server_ip, 8080))
            connection.sendall(b"GET /live.flv HTTP/1.0\r\n\r\n")
            begin, tags = time.monotonic(), []
            reader = threading.Thread(target=lambda: tags.extend(flv_tags(connection.makefile("rb"))))
            reader.start()
            time.sleep(BEFORE)
            lab.set(down_rate=rate)
            time.sleep(FAINT)
            lab.set(down_rate="5M")
            time.sleep(AFTER)
            paused = daemon.metrics().sum("symcast_group_paused_seconds_total")
            connection.shutdown(socket.SHUT_RDWR)
            reader.join()
    return [tag._replace(arrived=tag.arrived - begin) for tag in tags], paused


def late(tags, kind, begin, end):
    own = [tag for tag in tags if tag.kind == kind]
    base = min(tag.arrived - tag.sent for tag in own if tag.arrived < BEFORE)
    delays = [tag.arrived - tag.sent - base for tag in own if begin <= tag.arrived < end]
    return f"{percentile(delays, 50):5.1f}{percentile(delays, 95):6.1f}" if delays else "    -     -"


def main():
    parser = argparse.ArgumentParser(prog="faint", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", default="150k,80k,60k")
    parser.add_argument("--congestion-control", default="cubic,auto")
    options = parser.parse_args()
    print(f"{'rate':>6} {'control':<8}{'audio late':>12}{'recovered':>12}{'picture late':>14}{'recovered':>12}"
          f"{'paused':>8}")
    for rate in options.rates.split(","):
        for control in options.congestion_control.split(","):
            with tempfile.TemporaryDirectory() as directory:
                tags, paused = watch(rate, control, pathlib.Path(directory))
            faint = (BEFORE + SETTLED, BEFORE + FAINT)
            back = (BEFORE + FAINT + 2, BEFORE + FAINT + AFTER)
            cells = [late(tags, kind, *when) for kind in ("audio", "picture") for when in (faint, back)]
            print(f"{rate:>6} {control:<8}{cells[0]:>12}{cells[1]:>12}{cells[2]:>14}{cells[3]:>12}{paused:8.1f}",
                  flush=True)


main()

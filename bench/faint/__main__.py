"""How late the audio and the picture of a viewer are while their link carries little more than the audio, or
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

from netlab import mp4_boxes, ts_sender
from netlab.daemon import Daemon
from netlab.network import Netlab, open_socket
from netlab.timeline import percentile

BEFORE, FAINT, AFTER = 10, 40, 10
SETTLED = 10  # seconds in which the data drains that was in flight when the link fell
FLV_KINDS = {8: "audio", 9: "picture"}  # of tags
TS_KINDS = {ts_sender.VIDEO_PID: "picture", ts_sender.AUDIO_PID: "audio"}  # by PID
MP4_TRACKS = {1: ("picture", 90_000), 2: ("audio", 48_000)}  # and their timescales (src/media/mp4.h)
Unit = collections.namedtuple("Unit", "kind sent arrived")  # a frame or an audio frame, by its media time


def flv_units(stream):
    """Each of an FLV response, read from a file-like object, once it has arrived."""
    stream.read(9 + 4)
    while len(head := stream.read(11)) == 11:
        size, low, high = int.from_bytes(head[1:4], "big"), int.from_bytes(head[4:7], "big"), head[7]
        if len(stream.read(size + 4)) < size + 4:
            return
        yield Unit(FLV_KINDS.get(head[0]), (high << 24 | low) / 1000, time.monotonic())


def ts_units(stream):
    """The first of each PES packet of an MPEG-TS response, when the packet begins."""
    while len(packet := stream.read(ts_sender.PACKET)) == ts_sender.PACKET:
        kind = TS_KINDS.get(ts_sender.pid(packet))
        if kind and ts_sender.begins_unit(packet):
            yield Unit(kind, ts_sender.timestamp(packet) / ts_sender.CLOCK, time.monotonic())


def mp4_units(stream):
    """The same of an MP4 response, whose fragments are of one track."""
    samples = []
    while len(head := stream.read(8)) == 8:
        size = int.from_bytes(head[:4], "big") - 8
        if head[4:] == b"mdat":
            for kind, sent, length in samples:
                if len(stream.read(length)) < length:
                    return
                yield Unit(kind, sent, time.monotonic())
            continue
        box = stream.read(size)
        if head[4:] == b"moof":
            samples = list(mp4_samples(box))


def mp4_samples(moof):
    """(kind, time, bytes) of each sample of a fragment."""
    track = int.from_bytes(mp4_boxes.find(moof, b"traf", b"tfhd")[4:8], "big")
    kind, timescale = MP4_TRACKS[track]
    begin, durations, sizes = mp4_boxes.chunk(moof)
    for duration, size in zip(durations, sizes):
        yield kind, begin / timescale, size
        begin += duration


FORMATS = {"flv": flv_units, "mp4": mp4_units, "ts": ts_units}


def units(connection, name):
    """Those of a response, until the connection is shut down."""
    stream = connection.makefile("rb")
    while stream.readline().strip():
        pass  # the response's head
    with contextlib.suppress(ConnectionResetError):  # shutdown() while data waits
        yield from FORMATS[name](stream)


def watch(name, rate, control, directory):
    """Returns the units, with times since the link's first second, and the seconds of pause."""
    config = f'[encoder]\npreset = "ultrafast"\n[tcp]\ncongestion_control = "{control}"\n'
    with Netlab(clients=1, rate="5M", delay_ms=20, queue_bytes=64000) as lab, \
            Daemon("--source", "live=test:?size=640x360", directory=directory, config=config, lab=lab) as daemon:
        client = lab.clients[0]
        with contextlib.closing(open_socket(client.netns)) as connection:
            connection.connect((client.server_ip, 8080))
            connection.sendall(f"GET /live.{name} HTTP/1.0\r\n\r\n".encode())
            begin, seen = time.monotonic(), []
            reader = threading.Thread(target=lambda: seen.extend(units(connection, name)))
            reader.start()
            time.sleep(BEFORE)
            lab.set(down_rate=rate)
            time.sleep(FAINT)
            lab.set(down_rate="5M")
            time.sleep(AFTER)
            paused = daemon.metrics().sum("symcast_group_paused_seconds_total")
            connection.shutdown(socket.SHUT_RDWR)
            reader.join()
    return [unit._replace(arrived=unit.arrived - begin) for unit in seen], paused


def late(seen, kind, begin, end):
    own = [unit for unit in seen if unit.kind == kind]
    base = min(unit.arrived - unit.sent for unit in own if unit.arrived < BEFORE)
    delays = [unit.arrived - unit.sent - base for unit in own if begin <= unit.arrived < end]
    return f"{percentile(delays, 50):5.1f}{percentile(delays, 95):6.1f}" if delays else "    -     -"


def main():
    parser = argparse.ArgumentParser(prog="faint", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", default="150k,80k,60k")
    parser.add_argument("--congestion-control", default="cubic,auto")
    parser.add_argument("--format", choices=FORMATS, default="ts")
    options = parser.parse_args()
    print(f"{'rate':>6} {'control':<8}{'audio late':>12}{'recovered':>12}{'picture late':>14}{'recovered':>12}"
          f"{'paused':>8}")
    for rate in options.rates.split(","):
        for control in options.congestion_control.split(","):
            with tempfile.TemporaryDirectory() as directory:
                seen, paused = watch(options.format, rate, control, pathlib.Path(directory))
            faint = (BEFORE + SETTLED, BEFORE + FAINT)
            back = (BEFORE + FAINT + 2, BEFORE + FAINT + AFTER)
            cells = [late(seen, kind, *when) for kind in ("audio", "picture") for when in (faint, back)]
            print(f"{rate:>6} {control:<8}{cells[0]:>12}{cells[1]:>12}{cells[2]:>14}{cells[3]:>12}{paused:8.1f}",
                  flush=True)


main()

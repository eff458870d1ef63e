"""`symcast top` next to a running server: its table, and how it ends."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from netlab.daemon import END_SECONDS, binary, wait_until
from netlab.network import Netlab
from netlab.viewer import Viewer
from tests.integration.conftest import SMALL
from tests.integration.segment_requests import HlsPlayer

PATIENCE = 60  # seconds
SOON = ("--interval", "100ms")


def top_once(daemon, *options, **run):
    """The lines of one table."""
    command = [binary(), "top", "--once", "--listen", f"127.0.0.1:{daemon.port}", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE,
                          **run).stdout.splitlines()


def rows(lines):
    """The connections as {title: cell}."""
    heading, titles, *connections, totals = lines
    names = titles.replace("RTT ms", "RTT").split()
    return [dict(zip(names, row.split())) for row in connections]


def bits(text):
    return float(text.rstrip("kMG")) * {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)


@pytest.fixture(scope="module")
def watched(shared, tmp_path_factory):
    """A server with one viewer and, once earlier scrapes have ended, no other connection."""
    with Viewer(shared.url(), directory=tmp_path_factory.mktemp("viewer")) as viewer:
        viewer.receive(30)
        wait_until(lambda: len(rows(top_once(shared, *SOON))) == 1, PATIENCE, "no other connection")
        yield shared
        assert viewer.watching()


def test_shows_a_viewer(watched):
    def table():
        lines = top_once(watched)
        found = rows(lines)
        # The viewer receives nothing if the machine pauses for a second.
        return (lines, found[0]) if len(found) == 1 and bits(found[0]["RATE"]) > 0 else None

    lines, row = wait_until(table, PATIENCE, "the viewer receives something")
    assert lines[0] == f"symcast top: port {watched.port}, last 1s"
    assert row["PEER"].startswith("127.0.0.1:")
    assert (row["STREAM"], row["FORMAT"]) == ("live", "ts")
    assert f"viewer={row['VIEWER']} " in watched.log()
    assert row["STATE"] in ("open", "disorder", "cwr", "recovery", "loss")
    assert bits(row["RATE"]) < 2 * 8 * watched.metrics().sum("symcast_sent_bytes_total")
    assert lines[-1].startswith("1 connection, ")


def test_reads_the_configuration_and_says_if_nothing_listens(tmp_path):
    config = tmp_path / "a.toml"
    config.write_text('[server]\nlisten = "127.0.0.1:1"\n')
    done = subprocess.run([binary(), "top", "--once", *SOON, "--config", config], check=True,
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.splitlines()[0] == \
        "symcast top: port 1, last 100ms; no server listens there"


def test_shows_whose_connections_those_of_a_segment_player_are(serve):
    daemon = serve("--source", SMALL)
    with HlsPlayer(daemon) as first, HlsPlayer(daemon) as second, HlsPlayer(daemon) as third:
        for player in (first, second, third):
            player.playlist("auto")
        third.media(second.playlist_path("auto"))  # another connection of the second viewer
        found = wait_until(lambda: [row for row in rows(top_once(daemon, *SOON)) if row["FORMAT"] == "hls"],
                           PATIENCE, "the connections")
    assert len(found) == 3 and len({row["VIEWER"] for row in found}) == 2


def test_says_why_it_knows_no_viewers(serve, needs_lab):
    """Nobody on loopback is an administrator, only the other host."""
    with Netlab() as lab:
        config = f'[admin]\nallow = ["{lab.server_ip}"]\n'
        serve("--source", SMALL, config=config, lab=lab)
        done = lab.run_server([binary(), "top", "--once", *SOON], stdout=subprocess.PIPE, text=True)
        heading = done.communicate(timeout=PATIENCE)[0].splitlines()[0]
    assert heading.endswith("; viewers unknown: HTTP/1.1 403 Forbidden")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another user")
def test_needs_no_privileges(watched):
    assert rows(top_once(watched, *SOON, user=65534, group=65534, extra_groups=[]))


def test_ends_with_sigterm(shared):
    process = subprocess.Popen([binary(), "top", "--listen", f"127.0.0.1:{shared.port}", *SOON],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("symcast top: ")
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_SECONDS) == 0


class Terminal:
    """A terminal of 24 lines of 60 characters."""

    def __init__(self):
        self._ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        self.shown = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._ours)
        os.close(self.theirs)

    def settings(self):
        return termios.tcgetattr(self.theirs)

    def press(self, key):
        os.write(self._ours, key)

    def read_until(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, self.shown
            if select.select([self._ours], [], [], 0.1)[0]:
                self.shown += os.read(self._ours, 65536)

    def tables(self):
        text = self.shown.decode().replace("\x1b[K", "").replace("\x1b[J", "")
        return text.split("\x1b[H")[1:]


def test_fits_a_terminal_and_ends_with_q(watched):
    with Terminal() as terminal:
        before = terminal.settings()
        process = subprocess.Popen(
            [binary(), "top", "--listen", f"127.0.0.1:{watched.port}", *SOON],
            stdin=terminal.theirs, stdout=terminal.theirs, stderr=terminal.theirs)
        terminal.read_until(lambda: terminal.shown.count(b"retransmitted") >= 2)
        terminal.press(b"q")
        terminal.read_until(lambda: process.poll() is not None)
        assert process.returncode == 0
        assert terminal.settings() == before, "the terminal has its old settings"
    tables = terminal.tables()
    assert len(tables) >= 2
    for line in tables[0].splitlines():
        assert len(line) <= 60
    assert "RATE" in tables[0] and "SSTHRESH" not in tables[0]


def test_shows_losses(needs_lab, serve, view):
    """The link loses 5 % of the packets to the viewer."""
    with Netlab(rate="5M", delay_ms=20, queue_bytes=64000, loss=0.05) as lab:
        serve("--source", SMALL, lab=lab)
        view(f"http://{lab.server_ip}:8080/live.ts", lab=lab)

        def row_with_losses():
            done = lab.run_server([binary(), "top", "--once", *SOON], stdout=subprocess.PIPE, text=True)
            found = rows(done.communicate(timeout=PATIENCE)[0].splitlines())
            return next((row for row in found if int(row["RETRANS"].split("+")[0]) > 0), None)

        row = wait_until(row_with_losses, PATIENCE, "a retransmission")
    assert row["PEER"].startswith(lab.clients[0].address)
    assert float(row["MIN"]) >= 39, "20 ms in each direction"

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

from netlab.daemon import binary
from netlab.network import Netlab
from tests.integration.conftest import SMALL

END_SECONDS = 2


def top_once(daemon, *options, **run):
    """The lines of one table."""
    command = [binary(), "top", "--once", "--listen", f"127.0.0.1:{daemon.port}", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=10,
                          **run).stdout.splitlines()


def rows(lines):
    """The connections as {title: cell}."""
    heading, titles, *connections, totals = lines
    names = titles.replace("RTT ms", "RTT").split()
    return [dict(zip(names, row.split())) for row in connections]


def bits(text):
    return float(text.rstrip("kMG")) * {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)


def test_shows_a_viewer(small, view):
    viewer = view(small.url(), "--seconds", 20)
    small.wait_for(lambda m: m.sum("symcast_viewers") == 1, 5, "the viewer is admitted")
    lines = top_once(small)
    assert lines[0] == f"symcast top: port {small.port}, last 1s"
    [row] = rows(lines)
    assert row["PEER"].startswith("127.0.0.1:")
    assert row["STATE"] in ("open", "disorder")
    assert 1e4 < bits(row["RATE"]) < 1e7
    assert lines[-1].startswith("1 connection, ")
    assert viewer.watching()


def test_reads_the_configuration_and_says_if_nothing_listens(tmp_path):
    config = tmp_path / "a.toml"
    config.write_text('[server]\nlisten = "127.0.0.1:1"\n')
    done = subprocess.run([binary(), "top", "--once", "--interval", "100ms", "--config", config],
                          check=True, capture_output=True, text=True, timeout=10)
    assert done.stdout.splitlines()[0] == \
        "symcast top: port 1, last 100ms; no server listens there"


def test_needs_no_privileges(small, view):
    if os.geteuid() != 0:
        pytest.skip("only root can run a program as another user")
    view(small.url(), "--seconds", 20)
    small.wait_for(lambda m: m.sum("symcast_viewers") == 1, 5, "the viewer is admitted")
    assert len(rows(top_once(small, user=65534, group=65534, extra_groups=[]))) == 1


def test_ends_with_sigterm(small):
    process = subprocess.Popen([binary(), "top", "--listen", f"127.0.0.1:{small.port}"],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("symcast top: ")
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_SECONDS) == 0


def test_fits_a_terminal_and_ends_with_q(small, view):
    view(small.url(), "--seconds", 20)
    small.wait_for(lambda m: m.sum("symcast_viewers") == 1, 5, "the viewer is admitted")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [binary(), "top", "--listen", f"127.0.0.1:{small.port}", "--interval", "100ms"],
        stdin=theirs, stdout=theirs, stderr=theirs)
    shown = b""
    deadline = time.monotonic() + 5
    while shown.count(b"retransmitted") < 2 and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 65536)
    os.write(ours, b"q")
    assert process.wait(END_SECONDS) == 0
    assert termios.tcgetattr(theirs) == before, "the terminal has its old settings"
    os.close(ours)
    os.close(theirs)
    tables = shown.decode().replace("\x1b[K", "").replace("\x1b[J", "").split("\x1b[H")[1:]
    assert len(tables) >= 2
    for line in tables[0].splitlines():
        assert len(line) <= 60
    assert "RATE" in tables[0] and "SSTHRESH" not in tables[0]


def test_shows_losses(needs_lab, serve, view):
    """The link loses 5 % of the packets to the viewer."""
    with Netlab(rate="5M", delay_ms=20, queue_bytes=64000, loss=0.05) as lab:
        daemon = serve("--source", SMALL, lab=lab)
        view(daemon.url(), "--seconds", 20, lab=lab)
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, 5, "the viewer is admitted")
        time.sleep(3)
        done = lab.run_server([binary(), "top", "--once"], stdout=subprocess.PIPE, text=True)
        lines = done.communicate(timeout=10)[0].splitlines()
    [row] = rows(lines)
    assert row["PEER"].startswith(lab.clients[0].address)
    assert float(row["MIN"]) == pytest.approx(40, abs=10)
    assert int(row["RETRANS"].split("+")[0]) > 0

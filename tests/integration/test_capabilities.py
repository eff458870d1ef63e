"""The server gives up its capabilities at start, and also runs without any."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import assert_clean
from tests.integration.conftest import SMALL

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to grant")

NOBODY = 65534


def as_nobody(*capabilities):
    """Command prefix that runs a command as an unprivileged user with only these capabilities."""
    plus = ",".join(f"+{name}" for name in capabilities)
    inherited = ["--inh-caps", plus, "--ambient-caps", plus] if capabilities else []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *inherited]


def event_source(daemon):
    line = next(line for line in daemon.log().splitlines() if "kernel_access " in line)
    return dict(word.split("=", 1) for word in line.split() if "=" in word)["events"]


def loaded(kind):
    """The ids of all programs ("prog"), maps ("map") or congestion controls ("struct_ops") of BPF in the
    kernel."""
    command = [shutil.which("bpftool", path="/usr/sbin:/usr/bin"), kind, "list"]

    def run():  # which may fail if an object of another server ends meanwhile
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done if done.returncode == 0 else None

    text = wait_until(run, 30, "bpftool lists").stdout
    return {int(number) for number in re.findall(r"^(\d+): ", text, re.MULTILINE)}


def text_of(path):
    """The text of a file in /proc; empty if what it describes has ended."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def held(daemon):
    """The same, of those that a server and its guardian hold: (programs, maps)."""
    pid = daemon.process.pid
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    text = "".join(text_of(descriptor) for process in (pid, *children)
                   for descriptor in pathlib.Path(f"/proc/{process}/fdinfo").iterdir())
    return tuple({int(number) for number in re.findall(rf"^{kind}_id:\t(\d+)$", text, re.MULTILINE)}
                 for kind in ("prog", "map"))


def needs_ebpf(daemon):
    if event_source(daemon) == "tcp_info":
        pytest.skip(daemon.log().splitlines()[0])


def test_root_gives_up_every_capability(shared):
    for thread in pathlib.Path(f"/proc/{shared.process.pid}/task").iterdir():
        lines = text_of(thread / "status").splitlines()
        if not lines:
            continue
        status = dict(line.split(":\t", 1) for line in lines)
        assert {status[key] for key in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {"0" * 16}
        assert status["NoNewPrivs"] == "1"


def test_serves_without_capabilities_and_logs_one_line(serve, view):
    daemon = serve("--source", SMALL, wrapper=as_nobody())
    viewer = view(daemon.url())
    viewer.receive(10)
    assert_clean(viewer.finish())
    said = [line for line in daemon.log().splitlines() if "kernel_access " in line]
    assert len(said) == 1
    assert event_source(daemon) == "tcp_info"


@pytest.mark.parametrize("capabilities, source",
                         [(("bpf", "perfmon"), "tracepoint"), (("bpf", "net_admin"), "sockops")])
def test_uses_the_best_event_source_that_capabilities_allow(shared, serve, capabilities, source):
    needs_ebpf(shared)
    assert event_source(serve("--source", SMALL, wrapper=as_nobody(*capabilities))) == source


def test_a_killed_server_leaves_nothing_in_the_kernel(shared, tmp_path):
    needs_ebpf(shared)
    daemon = Daemon("--source", SMALL, directory=tmp_path)
    programs, maps = held(daemon)
    assert programs and programs <= loaded("prog")
    assert maps & loaded("struct_ops"), "the congestion controls"
    daemon.process.kill()
    daemon.process.wait()
    wait_until(lambda: programs.isdisjoint(loaded("prog")), 60, "all programs are gone")
    wait_until(lambda: maps.isdisjoint(loaded("map")), 60, "all maps are gone")

"""The server gives up its capabilities at start, and also runs without any."""

import os
import pathlib
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


def listed(*words):
    command = [shutil.which("bpftool", path="/usr/sbin:/usr/bin"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def loaded():
    """Objects of symcast in the kernel: its event programs and congestion controls."""
    programs = {("program", line.split(":")[0]) for line in listed("prog", "list")
                if "name on_state" in line or "name on_socket" in line}
    names = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    return programs | {("congestion control", name) for name in names if name.startswith("sym_")}


def needs_ebpf(daemon):
    if event_source(daemon) == "tcp_info":
        pytest.skip(daemon.log().splitlines()[0])


def test_root_gives_up_every_capability(shared):
    for thread in pathlib.Path(f"/proc/{shared.process.pid}/task").iterdir():
        status = dict(line.split(":\t", 1) for line in (thread / "status").read_text().splitlines())
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
    before = loaded()
    daemon = Daemon("--source", SMALL, directory=tmp_path)
    own = loaded() - before
    daemon.process.kill()
    daemon.process.wait()
    assert {kind for kind, _ in own} == {"program", "congestion control"}
    wait_until(lambda: own.isdisjoint(loaded()), 60, "all objects are gone")

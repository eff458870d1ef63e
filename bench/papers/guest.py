"""A guest: another Linux on this machine, for congestion controls and queues that this machine's kernel
does not have. It is User-Mode Linux of Debian's package user-mode-linux, which boots in two seconds,
runs as nobody, and sees this machine's files but may write only to the folder that it is given.

    run_in_guest("bench.papers.inside.check", {"rtts": [1, 20]}, timeout=60)

runs that module's run({"rtts": [1, 20]}) in the guest, and returns its result; inside/paths.py has the
network for it. Properties of the guest:

- It has one CPU, and each system call and page fault costs microseconds, so every measurement there
  reports how busy it was (inside/paths.py, GuestWatch).
- Its clock ticks 100 times per second, as do TCP's retransmission and delayed ACK timers; sleeping and
  netem have high resolution timers. Round trips are 0.2 ms and 0.4 % too long, rates are exact to
  0.1 % up to 10 Mbit/s and 1 % at 100 (self_check()).
- netem of kernel 6.1 takes no seed: loss differs from run to run, whatever the seed.
- netem's limit counts packets in flight as well as waiting ones, so a bottleneck and a delay need a
  device each.
- TCP notices at once if the sender's own device drops a packet, and with offloading one loss could
  take 44 packets. So a bottleneck needs a router before it, and gso_max_segs 1 at the sender.
- `tc qdisc replace` of a netem keeps the old rate if no rate is given.
- If killed, it leaves helper processes behind, which end with their process namespace.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from netlab.network import REPOSITORY

KERNEL = "/usr/bin/linux.uml"
NOBODY = 65534
MEMORY = "640M"
BOOT_SECONDS = 30  # generous, for a busy machine
TREE = ("bench", "netlab")  # folders that are copied into the guest

CONTROLS = ("bic", "cubic", "highspeed", "htcp", "vegas")
CHECKED = {"rtts": [1, 20, 80, 150], "rates": [1.5e6, 10e6, 100e6], "losses": [0.01, 0.05],
           "packets": 6000, "controls": [*CONTROLS, "bbr"]}
RTT_ERROR = (1.0, 0.01)  # ms and share, of netem and of the guest
RATE_ERROR = 0.02  # share
LOSS_ERROR = 4  # standard deviations for the number of packets


class GuestFailed(RuntimeError):
    """The guest did not boot, died or hung, or failed its self-check."""


def run_in_guest(module, job, timeout):
    """Returns the result of the module's run(job) in the guest; both are in JSON's types. `timeout`:
    seconds for run()."""
    why = _why_unavailable()
    if why:
        raise GuestFailed(why)
    with tempfile.TemporaryDirectory(prefix="symcast-guest-") as name:
        exchange = pathlib.Path(name)
        _fill(exchange, {"module": module, "job": job})
        said = _boot(exchange, timeout)
        try:
            return json.loads((exchange / "results.json").read_text())
        except FileNotFoundError:
            raise GuestFailed(f"{module} failed in the guest: {_end_of(said)}") from None


def self_check():
    """Lines with measured and expected values in the guest."""
    lines, wrong = judge(run_in_guest("bench.papers.inside.check", CHECKED, timeout=90))
    if wrong:
        raise GuestFailed("the guest's self-check failed: " + "; ".join(wrong))
    return lines


def judge(measured):
    """(lines, those lines that are outside their error)"""
    found = []
    for expected, rtt in measured["rtts"]:
        error = RTT_ERROR[0] + RTT_ERROR[1] * expected
        found.append((f"RTT {expected} ms: {rtt:.2f} ± {error:.1f}", abs(rtt - expected) <= error))
    for expected, rate in measured["rates"]:
        found.append((f"rate {expected / 1e6:g} Mbit/s: {rate / 1e6:.3f} ± {RATE_ERROR:.0%}",
                      abs(rate / expected - 1) <= RATE_ERROR))
    for expected, loss in measured["losses"]:
        error = LOSS_ERROR * (expected * (1 - expected) / CHECKED["packets"]) ** 0.5
        found.append((f"loss {expected:.1%}: {loss:.1%} ± {error:.1%}",
                      abs(loss - expected) <= error))
    missing = sorted(set(CHECKED["controls"]) - set(measured["controls"]))
    found.append((f"kernel {measured['kernel']}: " + (f"no {', '.join(missing)}" if missing else
                                                      ", ".join(measured["controls"])), not missing))
    return [line for line, _ in found], [line for line, fine in found if not fine]


def _why_unavailable():
    """Why a guest cannot run here; None if it can."""
    if os.geteuid() != 0:
        return "starting a guest needs root"
    if not os.path.exists(KERNEL):
        return f"{KERNEL} is not installed: run scripts/install-deps papers"
    return None


def _fill(exchange, task):
    """Fills the folder with all that the guest needs, as a copy, since nobody may not read the tree."""
    for part in TREE:
        shutil.copytree(REPOSITORY / part, exchange / part,
                        ignore=lambda folder, names: [
                            name for name in names
                            if not name.endswith(".py") and name != "init"
                            and not os.path.isdir(os.path.join(folder, name))])
    (exchange / "task.json").write_text(json.dumps(task))
    for path in (exchange, *exchange.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


def _boot(exchange, timeout):
    """Runs the guest until it ends; returns its output."""
    init = exchange / "bench/papers/inside/init"
    command = [
        # The guest and all that it started end with this process.
        "setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child=KILL",
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--pdeathsig", "KILL",
        KERNEL, f"mem={MEMORY}", "rootfstype=hostfs", "root=/dev/root", "rw", f"init={init}",
        "con=null", "con0=null,fd:1", "loglevel=3", "umid=guest", f"uml_dir={exchange}/uml",
        f"exchange={exchange}"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={"PATH": os.environ["PATH"], "TMPDIR": "/dev/shm",
                               "HOME": str(exchange)}) as guest:
        try:
            return guest.communicate(timeout=BOOT_SECONDS + timeout)[0]
        except subprocess.TimeoutExpired:
            guest.kill()
            said = guest.communicate()[0]
            raise GuestFailed(f"the guest hung for {timeout} s: {_end_of(said)}") from None
        finally:
            guest.kill()  # also if an exception ends the waiting


def _end_of(said, lines=8):
    return " | ".join(line.strip() for line in said.splitlines()[-lines:])

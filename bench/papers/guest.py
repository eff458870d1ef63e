"""A guest: another Linux on this machine, for congestion controls and queues that its own kernel
lacks. User-Mode Linux of Debian's package user-mode-linux: it boots in two seconds, runs as nobody,
and sees this machine's files but may write only to the folder that it is given.

    run_in_guest("bench.papers.inside.check", {"rtts": [1, 20]}, timeout=60)

runs that module's run({"rtts": [1, 20]}) there, and returns what it returns; inside/paths.py has the
network for it. What is to be known of the guest:

- It has one CPU, and each system call and page fault costs it microseconds: whoever measures there
  says how busy it was (inside/paths.py, GuestWatch).
- Its clock ticks 100 times a second, as TCP's retransmission and delayed acknowledgement timers do;
  sleeping and netem have high resolution timers. Round trips come out 0.2 ms and 0.4 % too long,
  rates true to 0.1 % up to 10 Mbit/s and 1 % at 100: self_check().
- netem of kernel 6.1 takes no seed: loss differs from run to run, whatever the seed.
- netem's limit counts packets that are on their way as well as those that wait, so a bottleneck and
  a delay want a device each.
- A packet that the sender's own device drops is told to its TCP at once, and the limit of its
  offloading would let one loss take 44 packets: a bottleneck wants a router before it, and
  gso_max_segs 1 at the sender.
- `tc qdisc replace` of a netem keeps the rate that it had when none is given.
- Killed, it leaves helper processes behind; they end with the process namespace that they are in.
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
BOOT_SECONDS = 30  # generous: a busy machine
TREE = ("bench", "netlab")  # what of this tree the guest gets

CONTROLS = ("bic", "cubic", "highspeed", "htcp", "vegas")
CHECKED = {"rtts": [1, 20, 80, 150], "rates": [1.5e6, 10e6, 100e6], "losses": [0.01, 0.05],
           "packets": 6000, "controls": [*CONTROLS, "bbr"]}
RTT_ERROR = (1.0, 0.01)  # ms and share; netem's and the guest's
RATE_ERROR = 0.02  # share
LOSS_ERROR = 4  # standard deviations of so many packets


class GuestFailed(RuntimeError):
    """It did not boot, died or hung; or it does not do what it says."""


def run_in_guest(module, job, timeout):
    """What run(job) of this module of the tree returns in the guest; both as JSON has them.
    `timeout`: seconds for run()."""
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
    """Lines of what was measured in the guest, and expected."""
    lines, wrong = judge(run_in_guest("bench.papers.inside.check", CHECKED, timeout=90))
    if wrong:
        raise GuestFailed("the guest's self-check failed: " + "; ".join(wrong))
    return lines


def judge(measured):
    """(lines, those of them that are off)"""
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
    lacking = sorted(set(CHECKED["controls"]) - set(measured["controls"]))
    found.append((f"kernel {measured['kernel']}: " + (f"no {', '.join(lacking)}" if lacking else
                                                      ", ".join(measured["controls"])), not lacking))
    return [line for line, _ in found], [line for line, fine in found if not fine]


def _why_unavailable():
    """None: it is not."""
    if os.geteuid() != 0:
        return "a guest needs root, which it gives up"
    if not os.path.exists(KERNEL):
        return f"no {KERNEL}: scripts/install-deps papers"
    return None


def _fill(exchange, task):
    """The folder with all that the guest wants. It has a copy: nobody may not read every tree."""
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
    """Returns what it said, when it has ended."""
    init = exchange / "bench/papers/inside/init"
    command = [
        # It ends with this process, and all that it started with it.
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
            guest.kill()  # whatever ends the waiting


def _end_of(said, lines=8):
    return " | ".join(line.strip() for line in said.splitlines()[-lines:])

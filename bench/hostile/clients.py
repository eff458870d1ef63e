"""Clients that attack, beside viewers who watch all the time, an HLS player, and newcomers: before, during and
after the attack.

own            MB of the server's memory: before, at most, after
kernel         MB at most in the send queues of its connections
fds, threads   of the server: before, at most, after
CPU            seconds of the server during the attack
log            lines, and kB
late           p99 of the pictures of all viewers, ms: before, during and after; wanted at most 100
gap            longest time without a picture of any viewer, ms, during the attack and after it
kbit/s         of video, of each viewer: before, during, after
new            newcomers who were served, of all
player         responses of the HLS player that were not 200, of all
others         % of this machine's CPU time that other programs took during the attack, and made viewers late"""

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from bench.hostile.attacks import CASES
from bench.hostile.figures import Arrivals, megabytes
from bench.hostile.honest import (NEWCOMERS_APART, Crowd, HonestPlayer, Newcomers, Repeating, sleep_until,
                                  wait_for_segments)
from bench.hostile.service import Others, Usage, Watch, usage
from netlab.daemon import END_SECONDS, Daemon
from netlab.network import stop

QUIET = 6  # seconds before and after the attack that are measured
SETTLE = 8  # seconds without a new or ended thread: the groups of the viewers' start have ended
SETTLED = 60  # seconds after which it begins all the same
LATE = 0.1  # seconds
MEMORY = 64e6  # bytes that the attack may cost the server
KEPT = 16e6  # bytes that it may keep: heaps have holes
KERNEL_APART = 0.5  # seconds between two looks at the sockets: `ss` lists thousands


class KernelMemory:
    def __init__(self, daemon):
        self._daemon, self._at = daemon, 0.0

    def __call__(self):
        if time.monotonic() - self._at < KERNEL_APART:
            return {}
        self._at = time.monotonic()
        return {"kernel": self._daemon.kernel_bytes()}


@dataclasses.dataclass
class Row:
    case: str
    alive: bool
    before: Usage
    most: Usage
    after: Usage | None
    kernel: int
    lines: int
    log: int  # bytes
    late: list  # seconds, or None, in the three phases
    gap: float
    rate: list  # bit/s, in the three phases
    newcomers: Newcomers | None
    player: HonestPlayer | None
    others: float
    attackers: list  # their counts

    @property
    def cost(self):
        return self.most.own - self.before.own

    @property
    def kept(self):
        return self.after.own - self.before.own if self.after else 0

    @property
    def refused(self):
        """Responses other than 200 that the honest player got."""
        return self.player.statuses.total() - self.player.statuses[200] if self.player else 0

    def text(self):
        def three(name, scale=1):
            return "/".join("-" if u is None else f"{getattr(u, name) / scale:.0f}"
                            for u in (self.before, self.most, self.after))
        late = "/".join("-" if late is None else f"{1000 * late:.0f}" for late in self.late)
        rate = "/".join(f"{rate / 1000:.0f}" for rate in self.rate)
        new = self.newcomers
        newcomers = f"{new.served}/{new.served + new.refused}" if new else "-"
        player = f"{self.refused}/{self.player.statuses.total()}" if self.player else "-"
        said = "; ".join(" ".join(f"{name}={value}" for name, value in attacker.items()) for attacker in self.attackers)
        return (f"{self.case:11}{three('own', 1e6):>12}{megabytes(self.kernel):>7}{three('descriptors'):>14}"
                f"{three('threads'):>9}{self.most.cpu - self.before.cpu:>6.1f}{self.lines:>6}{self.log / 1000:>6.0f}"
                f"{late:>15}{1000 * self.gap:>6.0f}{rate:>17}{newcomers:>7}{player:>7}{100 * self.others:>7.0f}"
                f"{'' if self.alive else '  DEAD'}  {said}")


HEAD = (f"{'case':11}{'own':>12}{'kernel':>7}{'fds':>14}{'threads':>9}{'CPU':>6}{'lines':>6}{'kB':>6}{'late':>15}"
        f"{'gap':>6}{'kbit/s':>17}{'new':>7}{'player':>7}{'others':>7}  attackers")


def rest():
    pass


def output_of(process):
    out, _ = process.communicate(timeout=60)
    counts = json.loads(out) if process.returncode == 0 else {"failed": process.returncode}
    statuses = counts.pop("statuses", {})
    return {name: value for name, value in counts.items() if value} | statuses


class Trial:
    """One attack."""

    def __init__(self, name, options, directory):
        self._name, self._attack, self._options = name, CASES[name], options
        self._daemon = Daemon("--source", f"live={self._attack.source}", config=self._attack.config,
                              directory=directory)
        try:
            wait_for_segments(self._daemon)
            self._crowd = Crowd(self._daemon, self._attack.honest or options.viewers, directory)
            try:
                self._run()
            finally:
                self._pictures = Arrivals(self._crowd.finish())
        finally:
            self._alive = self._daemon.process.poll() is None
            if self._alive:
                self._alive = self._daemon.end() < END_SECONDS

    def _run(self):
        self._settle()
        commands = self._attack.commands(self._daemon, self._options)  # It may ask as a player, which counts for 10 s.
        time.sleep(self._attack.rise)
        pid, others = self._daemon.process.pid, self._attack.others
        self._newcomers = Newcomers(self._daemon) if others else None
        self._player = HonestPlayer(self._daemon, self._attack.query) if others else None
        with Watch(pid, KernelMemory(self._daemon)) as watch, \
                Repeating(self._player.step if others else rest, 1):
            before = self._phase(QUIET)
            self._before, log = usage(pid), self._daemon.log()
            watch.reset()
            during = self._attack_for(commands)
            self._most, self._kernel = watch.most, watch.others.get("kernel", 0)
            self._settle()
            self._phases = [before, during, self._phase(QUIET)]
            self._after = usage(pid)
        new = self._daemon.log()[len(log):]
        self._lines, self._log = new.count("\n"), len(new)

    def _settle(self):
        """Waits until the groups of viewers who came or left have ended."""
        begin = since = time.monotonic()
        threads = 0
        while time.monotonic() - since < SETTLE and time.monotonic() - begin < SETTLED:
            now = usage(self._daemon.process.pid)
            if now and now.threads != threads:
                threads, since = now.threads, time.monotonic()
            time.sleep(0.2)

    def _phase(self, seconds):
        begin = time.monotonic()
        time.sleep(seconds)
        return begin, time.monotonic()

    def _attack_for(self, commands):
        begin, others = time.monotonic(), Others()
        attackers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
        try:
            with Repeating(self._newcomers.step if self._newcomers else rest, NEWCOMERS_APART):
                sleep_until(begin, self._options.seconds)
            self._attackers = [output_of(attacker) for attacker in attackers]
            self._others = others.share()
        finally:
            for attacker in attackers:
                stop(attacker)
        return begin, time.monotonic()

    def row(self):
        before, during, after = self._phases
        return Row(self._name, self._alive, self._before, self._most, self._after, self._kernel, self._lines, self._log,
                   [self._pictures.late(99, *phase) for phase in self._phases],
                   self._pictures.gap(during[0], after[1]),
                   [self._pictures.rate(*phase) for phase in self._phases], self._newcomers, self._player,
                   self._others, self._attackers)


def summary(rows):
    def names(kind, chosen):
        return f"{kind}: {' '.join(row.case for row in chosen) or 'none'}"
    return "\n".join([
        f"{len(rows)} cases",
        names("dead or hanging", [row for row in rows if not row.alive]),
        names(f"own memory grew by more than {megabytes(MEMORY)} MB", [row for row in rows if row.cost > MEMORY]),
        names(f"more than {megabytes(KEPT)} MB are kept", [row for row in rows if row.kept > KEPT]),
        names(f"viewers late by more than {1000 * LATE:.0f} ms at p99",
              [row for row in rows if row.late[1] is None or row.late[1] > LATE]),
        names("newcomers not served", [row for row in rows if row.newcomers and row.newcomers.refused]),
        names("the HLS player was refused", [row for row in rows if row.refused])])


def add_options(parser):
    cases = "\n".join(f"  {name:14} {attack.what}" for name, attack in CASES.items())
    parser.epilog = f"cases:\n{cases}"
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all by default")
    parser.add_argument("--seconds", type=float, default=20, help="of each attack [%(default)s]")
    parser.add_argument("--viewers", type=int, default=50, help="who watch all the time [%(default)s]")
    parser.add_argument("--readers", type=int, default=3000, help="connections of most attacks [%(default)s]")


def run(options):
    cases = options.cases or list(CASES)
    if unknown := set(cases) - set(CASES):
        sys.exit(f"hostile: no such case: {' '.join(sorted(unknown))}")
    print(HEAD, flush=True)
    rows = []
    for case in cases:
        with tempfile.TemporaryDirectory() as directory:
            rows.append(Trial(case, options, pathlib.Path(directory)).row())
        print(rows[-1].text(), flush=True)
    print(summary(rows))

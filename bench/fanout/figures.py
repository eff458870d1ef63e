"""The figures of bench/fanout."""

import os
import pathlib
from dataclasses import dataclass

TICKS = os.sysconf("SC_CLK_TCK")
WRAP = 2 ** 33 / 90_000  # seconds after which timestamps of MPEG-TS restart


def thread_times(pid):
    """{(thread, name): (user, system)} in CPU seconds."""
    result = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name, fields = parse_stat((task / "stat").read_text())
        except OSError:
            continue  # it has just ended
        result[task.name, name] = int(fields[11]) / TICKS, int(fields[12]) / TICKS
    return result


def parse_stat(text):
    """(name, fields after it) of a line of /proc/PID/stat."""
    before, after = text.rsplit(")", 1)
    return before.split("(", 1)[1], after.split()


@dataclass
class Cost:
    """CPU seconds."""

    loops: float  # of event loops; a program without such threads is one
    kernel: float  # the system time in them
    rest: float

    @property
    def total(self):
        return self.loops + self.rest

    @staticmethod
    def between(before, after):
        """The use of the threads since `before`, without those that have ended since."""
        loops = any(name.startswith("loop") for _, name in after)
        cost = Cost(0, 0, 0)
        for thread, (user, system) in after.items():
            user_before, system_before = before.get(thread, (0, 0))
            used = user - user_before + system - system_before
            if loops and not thread[1].startswith("loop"):
                cost.rest += used
            else:
                cost.loops += used
                cost.kernel += system - system_before
        return cost

    def per(self, amount):
        return Cost(self.loops / amount, self.kernel / amount, self.rest / amount)


@dataclass
class Delay:
    """Milliseconds."""

    p50: float
    p95: float
    p99: float

    @staticmethod
    def of(lags, offset):
        """`lags`: arrival less timestamp. `offset`: capture time less timestamp."""
        return Delay(*(1000 * unwrapped(lags[name] - offset) for name in ("p50", "p95", "p99")))


def unwrapped(seconds):
    return (seconds + WRAP / 2) % WRAP - WRAP / 2

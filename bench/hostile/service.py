"""The whole service, the server and the processes of its sources: a limit on its memory, and what it uses."""

import dataclasses
import os
import pathlib
import re
import threading
import time

from bench.policies.health import CpuWatch
from netlab.daemon import wait_until

V1 = pathlib.Path("/sys/fs/cgroup/memory")
V2 = pathlib.Path("/sys/fs/cgroup")
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLES_APART = 0.1  # seconds
ENTER = 'echo $$ > "$0" && exec "$@"'  # for sh


class MemoryGroup:
    """A control group whose memory is limited to `limit` bytes, or the reason `why` there is none."""

    def __init__(self, limit):
        self.why, self._folder = None, None
        v2 = (V2 / "cgroup.controllers").exists()
        parent, limit_name, self._now, self._most, self._events = (
            (V2, "memory.max", "memory.current", "memory.peak", "memory.events") if v2 else
            (V1, "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"))
        folder = parent / f"symcast-hostile-{os.getpid()}"
        try:
            folder.mkdir()
            self._folder = folder
            (folder / limit_name).write_text(str(limit))
        except OSError as error:
            self.why = f"{folder}: {error.strerror}"
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._folder:
            wait_until(self._remove, 10, "the processes of the control group end")

    def _remove(self):
        try:
            self._folder.rmdir()
        except OSError:
            return False
        self._folder = None
        return True

    @property
    def wrapper(self):
        """Words before a command that runs in the group."""
        return ("sh", "-c", ENTER, str(self._folder / "cgroup.procs")) if self._folder else ()

    def now(self):
        """Bytes, with the files that are cached for the group; None without a group."""
        return int((self._folder / self._now).read_text()) if self._folder else None

    def most(self):
        try:
            return int((self._folder / self._most).read_text()) if self._folder else None
        except FileNotFoundError:
            return None  # memory.peak needs Linux 5.19

    def kills(self):
        """Processes that the kernel has killed because the group's memory ran out."""
        if not self._folder:
            return 0
        found = re.search(r"^oom_kill (\d+)", (self._folder / self._events).read_text(), re.M)
        return int(found[1]) if found else 0


@dataclasses.dataclass
class Usage:
    memory: int  # bytes resident, of all processes
    own: int  # bytes resident, of the server
    threads: int  # of the server
    descriptors: int  # of the server
    cpu: float  # seconds so far, of all processes


def _children(pid):
    """Processes that it has started, and those that they have started."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            children = [int(child) for child in (task / "children").read_text().split()]
            found += children + [grandchild for child in children for grandchild in _children(child)]
        except OSError:
            pass  # the thread or process has ended meanwhile
    return found


def _resident(pid):
    found = re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0  # a zombie has none


def _times(pid):
    """(CPU seconds of the process, those of its children that have ended)"""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, (int(fields[13]) + int(fields[14])) / TICKS


def usage(pid):
    """Of the service whose server is `pid`; None if that has ended."""
    try:
        own = Usage(_resident(pid), _resident(pid), len(os.listdir(f"/proc/{pid}/task")),
                    len(os.listdir(f"/proc/{pid}/fd")), sum(_times(pid)))
        children = _children(pid)
    except OSError:
        return None
    for child in children:
        try:
            own.cpu += sum(_times(child))
            own.memory += _resident(child)
        except OSError:
            pass  # it has ended meanwhile
    return own


class Others:
    """Measures the share of this machine's CPU time that programs other than the bench take. It makes viewers
    late, whatever the server does."""

    def __init__(self):
        self._machine, self._own, self._begin = CpuWatch(), usage(os.getpid()).cpu, time.monotonic()

    def share(self):
        seconds = os.cpu_count() * (time.monotonic() - self._begin)
        return max(0.0, self._machine.busy() - (usage(os.getpid()).cpu - self._own) / seconds)


class Watch:
    """Samples a service until the end of the `with` block. `most`: the most of each figure since reset()."""

    def __init__(self, pid, also=lambda: {}):
        """`also`: a function that returns {name: figure}, for `others`, the most of each."""
        self._pid, self._also = pid, also
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.reset()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()

    def reset(self):
        self.most, self.others = Usage(0, 0, 0, 0, 0.0), {}

    def _run(self):
        while not self._ending.wait(SAMPLES_APART):
            now = usage(self._pid)
            if not now:
                return
            self.most = Usage(*(max(pair) for pair in zip(dataclasses.astuple(self.most), dataclasses.astuple(now))))
            for name, figure in self._also().items():
                self.others[name] = max(figure, self.others.get(name, 0))

"""Whether the machine kept up with a run: delays of a busy machine are not the policy's fault."""

import os
import pathlib
import threading
import time

from netlab.timeline import percentile

PRIORITY = -10  # nice value of the server, its viewers and the watch on the machine
# Limits for the worst stream.
LATE_FRAMES = 0.005  # share of frames dropped because an encoder was late
LATE = 0.01  # share of packets that the emulator delivered more than 2 ms late

SCHEDULE = 0.05  # seconds by which a change of the link may be late
WOKEN = 0.02  # seconds by which one wake-up in a hundred may be late


class WakeupWatch:
    """Measures how late the machine wakes a thread of the server's priority, until stop()."""

    PERIOD = 0.01  # seconds

    def __init__(self):
        self._late = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), PRIORITY)
        while not self._stop.is_set():
            begin = time.monotonic()
            time.sleep(self.PERIOD)
            self._late.append(time.monotonic() - begin - self.PERIOD)

    def stop(self):
        """Ends the measurement; returns by how many seconds the latest 1 % of wake-ups were late."""
        self._stop.set()
        self._thread.join()
        return percentile(self._late or [0.0], 99)


class CpuWatch:
    """Measures how busy the machine is, with all processes, not only the run."""

    def __init__(self):
        self._busy, self._all = self._ticks()

    def busy(self):
        """Share of busy CPU time since construction."""
        busy, total = self._ticks()
        return (busy - self._busy) / max(1, total - self._all)

    @staticmethod
    def _ticks():
        machine = pathlib.Path("/proc/stat").read_text().splitlines()[0]
        ticks = [int(word) for word in machine.split()[1:]]
        return sum(ticks[:8]) - ticks[3] - ticks[4], sum(ticks[:8])


def late_frames(metrics):
    """Share of frames that an encoder was too late for, in the worst stream. Frames that a policy
    skips do not count."""
    streams = {labels["stream"] for name, labels, _ in metrics.samples
               if name == "symcast_group_frames_total"}
    return max((_late_share(metrics, stream) for stream in streams), default=0)


def _late_share(metrics, stream):
    encoded = metrics.sum("symcast_group_frames_total", stream=stream)
    late = metrics.all("symcast_group_frames_late_total", stream=stream)
    if encoded and not late:
        raise RuntimeError("the server does not say for how many frames its encoders were late")
    return sum(late) / max(1, encoded + sum(late))


def late_packets(link):
    """Share of late packets, over both directions."""
    late, passed = (sum(direction[key] for direction in link.values())
                    for key in ("late", "packets_out"))
    return late / max(1, passed)


class Health:
    """Wraps a run in a `with` block; call acted() and finish() in it, and complaints() after it."""

    def __init__(self):
        self._cpu = CpuWatch()
        self._behind_schedule = 0.0
        self._wakeups = WakeupWatch()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._wakeups.stop()

    def acted(self, behind):
        self._behind_schedule = max(self._behind_schedule, behind)

    def finish(self, links, metrics=None):
        """Records the links' counters and, if there is a server, its `metrics`."""
        self.woken_late = self._wakeups.stop()
        self.cpu = self._cpu.busy()
        self._late_frames = late_frames(metrics) if metrics else 0
        self._lost = metrics.sum("symcast_packets_lost_in_handover_total") if metrics else 0
        self._late_packets = max(map(late_packets, links))
        # A shared link passes its packets to a client's link, which writes them.
        self._not_written = sum(direction.get("write_failures", 0) for link in links
                                for direction in link.values())

    def summary(self):
        return (f"machine {self.cpu:.0%} busy, wake-ups {1000 * self.woken_late:.1f} ms late "
                "at p99")

    def complaints(self):
        """Reasons not to count the run; empty if it counts."""
        found = []
        if self._late_frames > LATE_FRAMES:
            found.append(f"encoders were late for {self._late_frames:.1%} of the frames")
        if self._lost:
            found.append(f"{self._lost:.0f} packets lost between encoder and event loop")
        if self._late_packets > LATE:
            found.append(f"the emulator was late with {self._late_packets:.1%} of the packets")
        if self._not_written:
            found.append(f"the emulator could not write {self._not_written} packets")
        if self.woken_late > WOKEN:
            found.append(f"threads woke up {1000 * self.woken_late:.0f} ms late")
        if self._behind_schedule > SCHEDULE:
            found.append(f"a change of the link came {self._behind_schedule:.2f} s late")
        return found

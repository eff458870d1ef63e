"""TCP transfers that come and go beside a viewer, on its link."""

import random
import threading
import time

from bulk_flow import BulkFlow


def periods(seed, seconds, first, mean_pause, mean_length):
    """[(begin, end)] in which another flow sends; the first begins at `first`. Lengths and pauses
    are exponential, cut at half and twice their mean."""
    chance = random.Random(seed)

    def some(mean):
        return min(2 * mean, max(mean / 2, chance.expovariate(1 / mean)))

    found, at = [], first
    while at < seconds:
        end = at + some(mean_length)
        found.append((at, end))
        at = end + some(mean_pause)
    return found


class CrossTraffic:
    """Runs them for the `with` block, beside each of these clients at the same moments; times count
    from construction."""

    def __init__(self, lab, clients, congestion_control, times):
        self._lab, self._clients, self._control = lab, clients, congestion_control
        self._times = times
        self._begin = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _run(self):
        for begin, end in self._times:
            if self._wait(begin):
                return
            flows = [BulkFlow(self._lab, client, self._control) for client in self._clients]
            stopped = self._wait(end)
            for flow in flows:
                flow.stop()
            if stopped:
                return

    def _wait(self, at):
        """Whether it was told to stop."""
        return self._stop.wait(max(0, self._begin + at - time.monotonic()))

"""Runs an experiment: measures the runs that are missing in its file, with a progress line."""

import concurrent.futures
import concurrent.futures.process
import pathlib
import sys
import tempfile
import time
import traceback

ATTEMPTS = 2  # at a run that failed or met a busy machine


class Progress:
    """On a terminal a line that is overwritten; otherwise a line for each run."""

    def __init__(self, name, runs, at_once):
        self._name = name
        self._at_once = at_once
        self._left = {run.key: run.seconds for run in runs}
        self._total = len(runs)
        self._planned = 0.0  # expected seconds of the runs that have ended
        self._begin = time.monotonic()
        self._over = sys.stdout.isatty()

    def line(self, what):
        left = self._seconds_left()
        done = self._total - len(self._left)
        text = (f"{self._name}: {done}/{self._total} runs, about {_duration(left)} left, until "
                f"{time.strftime('%H:%M', time.localtime(time.time() + left))}; {what}")
        print(f"\r{text:<100}" if self._over else text, end="" if self._over else "\n",
              flush=True)

    def ended(self, key):
        self._planned += self._left.pop(key)

    def end(self):
        if self._over:
            print()

    def _seconds_left(self):
        planned = sum(self._left.values()) / self._at_once
        if not self._planned:
            return planned
        slower = (time.monotonic() - self._begin) * self._at_once / self._planned
        return planned * slower


def _duration(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def measure(experiment, run):
    """The figures of a run; a failed run has complaints."""
    with tempfile.TemporaryDirectory(prefix="symcast-papers-") as directory:
        try:
            return experiment.measure(run, pathlib.Path(directory))
        except Exception as error:  # any error, because the other runs still have figures
            traceback.print_exc()
            first_line = str(error).partition("\n")[0]
            return {"complaints": [f"{type(error).__name__}: {first_line}"]}


def run_all(experiment, runs, figures):
    """Measures runs that are missing in the file. A run with complaints is tried again at the end."""
    for _ in range(ATTEMPTS):
        counted = figures.counted(runs)
        to_do = [run for run in runs if run.key not in counted]
        if not to_do:
            return
        progress = Progress(experiment.name, to_do, experiment.at_once)
        progress.line("begins")
        for run, found in _results(experiment, to_do):
            progress.ended(run.key)
            figures.add(run, found)
            complaints = found.get("complaints")
            progress.line(run.key + (f": {'; '.join(complaints)}" if complaints else ""))
        progress.end()


def _results(experiment, runs):
    if experiment.at_once == 1:
        for run in runs:
            yield run, measure(experiment, run)
        return
    pool = concurrent.futures.ProcessPoolExecutor(experiment.at_once)
    try:
        running = {pool.submit(measure, experiment, run): run for run in runs}
        for future in concurrent.futures.as_completed(running):
            yield running[future], _result(future)
    finally:
        pool.shutdown(cancel_futures=True)


def _result(future):
    try:
        return future.result()
    except concurrent.futures.process.BrokenProcessPool as error:
        return {"complaints": [f"the run's process ended: {error}"]}

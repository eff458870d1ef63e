"""Runs an experiment: what is lacking in its file is measured, with a line that says how far it is
and what has ended."""

import concurrent.futures
import concurrent.futures.process
import pathlib
import sys
import tempfile
import time
import traceback

ATTEMPTS = 2  # of a run that failed, or that the machine did not keep up with


class Progress:
    """One line, written over itself on a terminal; else a line for each run."""

    def __init__(self, name, runs, at_once):
        self._name = name
        self._at_once = at_once
        self._left = {run.key: run.seconds for run in runs}
        self._total = len(runs)
        self._planned = 0.0  # seconds, of the runs that have ended
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
    """Its figures; what failed has complaints."""
    with tempfile.TemporaryDirectory(prefix="symcast-papers-") as directory:
        try:
            return experiment.measure(run, pathlib.Path(directory))
        except Exception as error:  # whatever it is: the other runs have figures
            traceback.print_exc()
            first_line = str(error).partition("\n")[0]
            return {"complaints": [f"{type(error).__name__}: {first_line}"]}


def run_all(experiment, runs, figures):
    """Measures those that the file lacks. A run with complaints is tried again at the end."""
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

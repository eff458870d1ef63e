"""Many runs in a row: selects those to do, and computes the figures of each while the next streams."""

import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass

from bench.policies.results import failure, results_of
from bench.policies.run import Lane, Run
from bench.policies.scenarios import Scenario

# Lanes at once, by the viewers of each. Encoders, sources and viewers then keep two cores half busy
# (measured: 49 % with 6 encoders of 5 Mbit/s, 52 % with 12 of 1.7).
AT_ONCE = {1: 6, 2: 3, 4: 3}
TRIES = 2  # attempts at a run that failed or met a busy machine
# Errors that fail one run and not the whole campaign.
FAILURES = (AssertionError, OSError, RuntimeError, ValueError, subprocess.SubprocessError)


@dataclass(frozen=True)
class Batch:
    """Lanes that run at once."""
    scenario: Scenario
    seed: int
    lanes: list

    def say(self, note):
        print(f"  {self.scenario.name} seed {self.seed} "
              f"{' '.join(lane.name for lane in self.lanes)}: {note}", file=sys.stderr, flush=True)


def batches(scenario, seed, lanes):
    """Batches of as many lanes as encoders fit on the machine; lanes of one congestion control share
    a run if possible."""
    at_once = AT_ONCE[scenario.viewers]
    groups = [lanes]
    if len(lanes) > at_once:
        controls = dict.fromkeys(lane.congestion_control for lane in lanes)
        groups = [[lane for lane in lanes if lane.congestion_control == control]
                  for control in controls]
    return [Batch(scenario, seed, group[i:i + at_once])
            for group in groups for i in range(0, len(group), at_once)]


def plan(scenarios, policies, congestion_controls, seeds, records):
    """The batches that are missing in `records`."""
    found = []
    for scenario in scenarios:
        for seed in range(1, seeds + 1):
            lanes = [Lane(policy, control) for control in congestion_controls
                     for policy in policies]
            found += batches(scenario, seed, [lane for lane in lanes
                                              if not records.has(scenario, seed, lane)])
    return found


class Computation:
    """Computes a run's figures in a separate process of low priority. Takes over `held`, which owns
    the run's directory."""

    def __init__(self, batch, run, every, held):
        self._batch = batch
        self._held = held
        processes = multiprocessing.get_context("fork")
        self._answer, answer = processes.Pipe(duplex=False)
        self._process = processes.Process(target=_compute, args=(run, every, answer), daemon=True)
        self._process.start()
        answer.close()

    def ready(self):
        return not self._answer.closed and self._answer.poll()

    def figures(self):
        """Waits for {lane: figures, or why there are none}; empty if the process failed."""
        try:
            found = self._answer.recv()
        except EOFError:
            self._batch.say("failed: the process that computes figures ended")
            return {}
        for lane, figures in found.items():
            if "failed" in figures:
                self._batch.say(f"failed: {lane.name}: {figures['failed']}")
        return found

    def close(self):
        self._process.terminate()
        self._process.join()
        self._answer.close()
        self._held.close()


def _compute(run, every, answer):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # close() ends this process
    os.nice(19)  # the next run streams meanwhile
    answer.send(results_of(run, every))


def stream(batch, every, crowd):
    """Streams and returns the computation of the figures; None if the machine was too busy."""
    with ExitStack() as held:
        directory = pathlib.Path(held.enter_context(tempfile.TemporaryDirectory()))
        run = Run(batch.scenario, batch.lanes, batch.seed, directory, crowd)
        complaints = run.health.complaints()
        refused = f"; refused: {', '.join(complaints)}" if complaints else ""
        batch.say(f"{run.health.summary()}{refused}")
        return None if complaints else Computation(batch, run, every, held.pop_all())


def attempt(batch, every, crowd):
    """The computation of the batch's figures. If every attempt failed, {lane: why there are none};
    empty if the machine was too busy."""
    failures = []
    for _ in range(TRIES):
        try:
            if computation := stream(batch, every, crowd):
                return computation
        except FAILURES as error:
            batch.say(f"failed: {error}")
            failures.append(error)
    if len(failures) < TRIES:
        return {}
    return {lane: failure(failures[-1]) for lane in batch.lanes}


def measure(batches_to_do, every, take, crowd=0):
    """Runs the batches in order, and calls take(batch, figures) in the same order, each after the
    next run has streamed. Figures are empty if the machine was too busy. `crowd`: as for Run.
    However this ends, it stops
    all that it began, and takes figures that are already computed."""
    pending = None  # (batch, Computation)
    try:
        for batch in batches_to_do:
            found = attempt(batch, every, crowd)
            pending = _finish(pending, take)
            if isinstance(found, dict):
                take(batch, found)
            else:
                pending = batch, found
        pending = _finish(pending, take)
    finally:
        if pending:
            if pending[1].ready():
                _finish(pending, take)
            else:
                pending[1].close()


def _finish(pending, take):
    if pending:
        batch, computation = pending
        figures = computation.figures()
        computation.close()
        take(batch, figures)

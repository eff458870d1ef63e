"""Which runs are still missing, which are kept, and the order of runs."""

import json
import math
import os
import pathlib
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

from bench.policies import campaign
from bench.policies.campaign import Batch, batches, measure, plan
from bench.policies.records import Records
from bench.policies.run import Lane
from bench.policies.scenarios import Scenario

ONE = Scenario("one", "", seconds=9, rtt_ms=40, queue=1)
LANES = [Lane(policy, control) for control in ("cubic", "bbr") for policy in "abcdef"]


def names(found):
    return [[lane.name for lane in batch.lanes] for batch in found]


def test_a_run_has_as_many_lanes_as_encoders_and_one_congestion_control():
    assert batches(ONE, 1, LANES) == [Batch(ONE, 1, LANES[:6]), Batch(ONE, 1, LANES[6:])]
    four = Scenario("four", "", seconds=9, rtt_ms=40, queue=1, viewers=4)
    assert [len(batch.lanes) for batch in batches(four, 1, LANES)] == [3, 3, 3, 3]


def test_few_lanes_are_one_run():
    assert names(batches(ONE, 1, [LANES[0], LANES[6]])) == [["a-cubic", "a-bbr"]]
    assert not batches(ONE, 1, [])


def test_runs_in_the_file_are_not_repeated(tmp_path):
    path = tmp_path / "figures.json"
    Records(path).add(ONE, 1, {Lane("a", "cubic"): {"p95": 50}})
    todo = plan([ONE], ["a", "b"], ["cubic"], 2, Records(path))
    assert [(batch.seed, [lane.policy for lane in batch.lanes]) for batch in todo] == [
        (1, ["b"]), (2, ["a", "b"])]


def test_failed_runs_are_tried_again(tmp_path):
    records = Records(tmp_path / "figures.json")
    lane = Lane("a", "cubic")
    records.add(ONE, 1, {lane: {"failed": "no such picture"}})
    assert not records.has(ONE, 1, lane)
    assert not records.has_outdated(ONE, 1, lane)


def test_runs_of_another_definition_are_repeated_and_replaced(tmp_path):
    records = Records(tmp_path / "figures.json")
    lane = Lane("a", "cubic")
    records.add(ONE, 1, {lane: {"p95": 50, "build": "old"}})
    assert records.has(ONE, 1, lane)  # of any build
    longer = replace(ONE, seconds=10)
    assert records.has_outdated(longer, 1, lane)
    assert [batch.lanes for batch in plan([longer], ["a"], ["cubic"], 1, records)] == [[lane]]
    records.add(longer, 1, {lane: {"p95": 60}})
    assert records.has(longer, 1, lane)
    assert not records.has_outdated(longer, 1, lane)
    assert [run["p95"] for run in records.tables["one", "cubic"]["a"]] == [60]


def test_a_file_keeps_all_figures(tmp_path):
    path = tmp_path / "figures.json"
    records = Records(path)
    for seed in (2, 1):
        records.add(ONE, seed, {Lane("a", "bbr"): {"return_ms": [1, math.inf]}})
    assert Records(path).tables == records.tables
    assert [run["seed"] for run in records.tables["one", "bbr"]["a"]] == [1, 2]
    assert Records(path).has(ONE, 1, Lane("a", "bbr"))
    assert not Records(path, every=1).has(ONE, 1, Lane("a", "bbr"))
    json.loads(path.read_text(), parse_constant=pytest.fail)  # infinity is not valid JSON


def test_a_file_of_another_kind_is_an_error(tmp_path):
    path = tmp_path / "figures.json"
    path.write_text('{"a": 1}')
    with pytest.raises(ValueError, match="figures.json"):
        Records(path)


def test_a_table_has_only_the_newest_definition():
    records = Records()
    longer = replace(ONE, seconds=10)
    for scenario, policy, seed in ((ONE, "a", 1), (ONE, "b", 1), (longer, "a", 2),
                                   (longer, "a", 3)):
        records.add(scenario, seed, {Lane(policy, "bbr"): {}})
    results, left_out = records.newest("one", "bbr")
    assert {policy: [run["seed"] for run in runs] for policy, runs in results.items()} == {
        "a": [2, 3]}
    assert left_out == 2


def computation(monkeypatch, results_of):
    """(the computation, the run's directory)"""
    monkeypatch.setattr(campaign, "results_of", results_of)
    held = ExitStack()
    directory = pathlib.Path(held.enter_context(tempfile.TemporaryDirectory()))
    return campaign.Computation(Batch(ONE, 1, LANES[:1]), directory, 3, held), directory


def test_figures_come_from_another_process(monkeypatch):
    found, directory = computation(monkeypatch, lambda run, every: {LANES[0]: {"p95": every}})
    assert found.figures() == {LANES[0]: {"p95": 3}}
    found.close()
    assert not directory.exists()


def test_a_failed_computation_is_reported_and_ends_nothing_else(monkeypatch, capsys):
    found, _ = computation(monkeypatch, lambda run, every: os._exit(1))
    assert found.figures() == {}
    found.close()
    assert "one seed 1 a-cubic: failed: the process" in capsys.readouterr().err


def test_a_lane_without_figures_is_reported_and_kept(monkeypatch, capsys):
    figures = {LANES[0]: {"failed": "no such picture"}, LANES[1]: {"p95": 50}}
    found, _ = computation(monkeypatch, lambda run, every: figures)
    assert found.figures() == figures
    found.close()
    assert "failed: a-cubic: no such picture" in capsys.readouterr().err


def test_a_computation_can_be_ended(monkeypatch):
    found, directory = computation(monkeypatch, lambda run, every: time.sleep(3600))
    found.close()
    assert not directory.exists()


class Later:
    """A computation that is done once the next run has streamed, or at once if `ready`."""

    def __init__(self, seed, log, ready=False):
        self._seed, self._log, self._ready = seed, log, ready

    def ready(self):
        return self._ready

    def figures(self):
        self._log.append(f"figures {self._seed}")
        return {"figures": self._seed}

    def close(self):
        self._log.append(f"close {self._seed}")


def measured(monkeypatch, stream):
    log, taken = [], []
    monkeypatch.setattr(campaign, "stream", lambda batch, *_: stream(batch.seed, log))
    runs = [Batch(ONE, seed, LANES[:1]) for seed in (1, 2)]
    try:
        measure(runs, 3, lambda batch, figures: taken.append((batch.seed, figures)))
    except KeyboardInterrupt:
        log.append("ended")
    return log, taken


def test_figures_are_computed_while_the_next_run_streams(monkeypatch):
    def stream(seed, log):
        log.append(f"stream {seed}")
        return Later(seed, log)

    log, taken = measured(monkeypatch, stream)
    assert log == ["stream 1", "stream 2", "figures 1", "close 1", "figures 2", "close 2"]
    assert taken == [(1, {"figures": 1}), (2, {"figures": 2})]


def test_a_run_on_a_busy_machine_is_repeated_once(monkeypatch):
    def stream(seed, log):
        log.append(seed)

    assert measured(monkeypatch, stream) == ([1, 1, 2, 2], [(1, {}), (2, {})])


def test_a_run_that_failed_each_time_is_recorded_as_failed(monkeypatch, capsys):
    def stream(seed, log):
        log.append(seed)
        raise AssertionError("symcast ended with -11:\nits last words")

    failed = {LANES[0]: {"failed": "AssertionError: symcast ended with -11"}}
    assert measured(monkeypatch, stream) == ([1, 1, 2, 2], [(1, failed), (2, failed)])
    assert "its last words" in capsys.readouterr().err


def test_a_run_that_failed_once_and_then_met_a_busy_machine_is_not_recorded(monkeypatch):
    def stream(seed, log):
        log.append(seed)
        if len(log) % 2:
            raise OSError

    assert measured(monkeypatch, stream) == ([1, 1, 2, 2], [(1, {}), (2, {})])


def test_ending_a_run_ends_the_computation_of_the_one_before(monkeypatch):
    def stream(seed, log):
        if seed == 2:
            raise KeyboardInterrupt
        return Later(seed, log)

    assert measured(monkeypatch, stream) == (["close 1", "ended"], [])


def test_ending_a_run_keeps_figures_that_are_already_computed(monkeypatch):
    def stream(seed, log):
        if seed == 2:
            raise KeyboardInterrupt
        return Later(seed, log, ready=True)

    assert measured(monkeypatch, stream) == (["figures 1", "close 1", "ended"],
                                             [(1, {"figures": 1})])

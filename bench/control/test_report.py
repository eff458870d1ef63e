"""Medians over seeds, and who is ahead."""

import math

import report
from scenarios import Scenario


def figures(p95, share):
    return {"p95": p95, "share": share}


def test_medians_leave_out_what_does_not_apply():
    assert report.median([None, 3, 1, 2]) == 2
    assert report.median([None]) is None
    assert report.median([1, math.inf, math.inf]) == math.inf


def test_of_several_steps_the_worst_counts():
    column = report.Column("", "steps")
    assert report.value_of(column, {"steps": [1, math.inf]}) == math.inf
    assert report.value_of(column, {"steps": []}) is None


def test_ahead_is_a_lower_delay_at_an_equal_rate():
    results = {"a": [figures(50, 0.9)], "b": [figures(60, 0.9)], "c": [figures(60, 0.5)]}
    assert report.not_ahead("a", results) == []


def test_a_lower_delay_at_a_lower_rate_is_another_choice():
    found = report.not_ahead("a", {"a": [figures(50, 0.9)], "b": [figures(40, 0.3)]})
    assert [(other, text.split(":")[0]) for other, text in found] == [("b", "other choice")]


def test_a_lower_delay_at_an_equal_rate_is_ahead_of_us():
    found = report.not_ahead("a", {"a": [figures(50, 0.9)], "b": [figures(40, 0.9)]})
    assert [(other, text.split(":")[0]) for other, text in found] == [("b", "behind")]


def test_a_table_has_medians_spread_and_the_oracle(capsys):
    runs = [{"p50": value, "down_ms": [1, math.inf], "oracle": {"p50": 5}}
            for value in (10, 30, 20)]
    scenario = Scenario("steps", "a link", seconds=9, rtt_ms=40, queue=1)
    report.print_table(scenario, "cubic", {"itcp": runs})
    _, title, head, medians, spread, oracle = capsys.readouterr().out.splitlines()
    assert title == "steps, cubic: a link; seeds: 3"
    assert medians.split()[:2] == ["itcp", "20"]
    assert spread.split()[0] == "10..30"
    assert "never" in medians
    assert oracle.split()[:2] == ["oracle", "5"]
    assert len(head) == len(medians) == len(oracle)

"""Medians over seeds, and tables of them."""

import math

import report
from scenarios import Scenario


def test_medians_leave_out_what_does_not_apply():
    assert report.median([None, 3, 1, 2]) == 2
    assert report.median([None]) is None
    assert report.median([1, math.inf, math.inf]) == math.inf


def test_of_several_steps_the_worst_counts():
    column = report.Column("", "steps")
    assert report.value_of(column, {"steps": [1, math.inf]}) == math.inf
    assert report.value_of(column, {"steps": []}) is None


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


def test_a_policy_with_fewer_seeds_than_others_says_so(capsys):
    run = {"p50": 1, "oracle": {}}
    scenario = Scenario("steps", "a link", seconds=9, rtt_ms=40, queue=1)
    report.print_table(scenario, "bbr", {"itcp": [run, run], "off": [run]})
    names = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    assert "itcp" in names
    assert "off (1)" in names

"""Medians over seeds, and tables of them."""

import math

from bench.policies import report
from bench.policies.scenarios import Scenario


def test_medians_leave_out_values_that_do_not_apply():
    assert report.median([None, 3, 1, 2]) == 2
    assert report.median([None]) is None
    assert report.median([1, math.inf, math.inf]) == math.inf


def test_of_an_even_number_the_worse_of_the_middle_two_counts():
    assert report.median([1, 2, 3, 4]) == 3
    assert report.median([1, 2, 3, 4], more_is_better=True) == 2
    assert report.median([1, math.inf]) == math.inf
    share = next(column for column in report.COLUMNS if column.key == "share")
    assert report.median_of(share, [{"share": 0.9}, {"share": 0.5}]) == 0.5


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


def test_rows_of_older_builds_and_left_out_figures_are_named(capsys):
    def run(measured, build):
        return {"p50": 1, "oracle": {}, "measured": measured, "build": build}

    scenario = Scenario("steps", "a link", seconds=9, rtt_ms=40, queue=1)
    report.print_table(scenario, "bbr", {"itcp": [run(1, "old"), run(3, "new")],
                                         "off": [run(2, "new")], "dbr": [run(0, "old")]}, 2)
    build, left_out = capsys.readouterr().out.splitlines()[-2:]
    assert build.endswith("older builds of symcast: itcp, dbr")
    assert left_out == "left out: 2 figures of older definitions"


def test_a_run_that_failed_counts_nowhere_and_is_named_below(capsys):
    runs = [{"seed": seed, "p50": 10 * seed, "oracle": {"p50": 5}} for seed in (1, 3)]
    failed = {"seed": 2, "failed": "symcast ended with -11"}
    scenario = Scenario("steps", "a link", seconds=9, rtt_ms=40, queue=1)
    report.print_table(scenario, "cubic", {"itcp": [runs[0], failed, runs[1]], "off": [failed]})
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("seeds: 2")
    assert lines[3].split()[:2] == ["itcp", "30"]
    assert lines[5].split()[:3] == ["off", "(0)", "-"]
    assert lines[-2:] == ["failed: itcp seed 2: symcast ended with -11",
                          "failed: off seed 2: symcast ended with -11"]

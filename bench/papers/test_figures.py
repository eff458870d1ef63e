from dataclasses import replace

import pytest

from bench.papers.experiment import Run
from bench.papers.figures import Figures

RUN = Run("a run", 1.0, 1, {"seconds": 30})


@pytest.fixture
def figures(tmp_path):
    return Figures(tmp_path / "figures.json")


def test_measurements_are_kept(figures, tmp_path):
    figures.add(RUN, {"rate": 5})
    assert Figures(tmp_path / "figures.json").counted([RUN])["a run"]["rate"] == 5


def test_a_run_with_complaints_does_not_count(figures):
    figures.add(RUN, {"complaints": ["late"]})
    assert not figures.counted([RUN])


def test_a_run_of_other_settings_does_not_count(figures):
    figures.add(RUN, {"rate": 5})
    assert not figures.counted([replace(RUN, settings={"seconds": 60})])


def test_each_run_has_the_conditions_that_it_was_measured_under(figures):
    figures.conditions = {"commit": "a", "kernel": "6"}
    figures.add(RUN, {"rate": 5})
    other = replace(RUN, key="another")
    figures.conditions = {"commit": "b", "kernel": "6"}
    figures.add(other, {"rate": 5})
    assert figures.conditions_of([RUN, other]) == {
        "commit": "a, b", "kernel": "6", "runs counted": "2 of 2"}
    assert figures.conditions_of([RUN])["commit"] == "a"

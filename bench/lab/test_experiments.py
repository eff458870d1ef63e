import json

import pytest

from lab.experiment import Scope
from lab.experiments import EXPERIMENTS
from lab.page import Page
from lab.testbed import CHECKS

FULL = Scope(quick=False, repeats=3, seed=1)
QUICK = Scope(quick=True, repeats=1, seed=1)
QUICK_SECONDS = 600  # make lab-quick is promised in so many, self-checks included

pytestmark = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda it: it.name)


@pytest.mark.parametrize("scope", [FULL, QUICK], ids=["full", "quick"])
def test_runs_are_told_apart_and_can_be_kept(experiment, scope):
    runs = experiment.runs(scope)
    assert len({run.key for run in runs}) == len(runs) > 0
    assert all(run.seconds > 0 and json.loads(json.dumps(run.settings)) == run.settings
               for run in runs)


def test_repeats_have_seeds_of_their_own(experiment):
    seeds = {run.seed for run in experiment.runs(FULL)}
    assert set(FULL.seeds) <= seeds


def test_says_what_it_is(experiment):
    for text in (experiment.title, experiment.paper, experiment.hypothesis, experiment.method):
        assert text.strip()
    assert experiment.differences
    assert set(experiment.testbeds) <= set(CHECKS)


def test_a_page_is_written_of_nothing(experiment, tmp_path):
    page = Page(experiment, tmp_path)
    experiment.report({}, page)
    text = page.save({}, [("a run", "failed")]).read_text()
    assert text.startswith(f"# {experiment.title}")
    assert "a run: failed" in text
    assert not page.claims


def test_the_quick_pass_is_quick(experiment):
    runs = experiment.runs(QUICK)
    assert sum(run.seconds for run in runs) / experiment.at_once < QUICK_SECONDS / 4

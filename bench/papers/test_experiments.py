import json

import pytest

from bench.papers.experiment import Scope
from bench.papers.experiments import EXPERIMENTS
from bench.papers.page import Page
from bench.papers.testbed import CHECKS

FULL = Scope(quick=False, repeats=3, seed=1)
QUICK = Scope(quick=True, repeats=1, seed=1)
QUICK_SECONDS = 600  # promised limit of make papers-quick
OTHER_SECONDS = 180  # of these: self-checks, making of clips, pages, a repeated run

each = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda it: it.name)


def test_the_quick_pass_is_quick():
    planned = sum(run.seconds / experiment.at_once
                  for experiment in EXPERIMENTS.values() for run in experiment.runs(QUICK))
    assert planned < QUICK_SECONDS - OTHER_SECONDS


@each
@pytest.mark.parametrize("scope", [FULL, QUICK], ids=["full", "quick"])
def test_runs_have_unique_keys_and_can_be_stored(experiment, scope):
    runs = experiment.runs(scope)
    assert len({run.key for run in runs}) == len(runs) > 0
    assert all(run.seconds > 0 and json.loads(json.dumps(run.settings)) == run.settings
               for run in runs)


@each
def test_repeats_have_seeds_of_their_own(experiment):
    seeds = {run.seed for run in experiment.runs(FULL)}
    assert set(FULL.seeds) <= seeds


@each
def test_has_all_texts(experiment):
    for text in (experiment.title, experiment.paper, experiment.hypothesis, experiment.method):
        assert text.strip()
    assert experiment.differences
    assert set(experiment.testbeds) <= set(CHECKS)


@each
def test_a_page_is_written_of_nothing(experiment, tmp_path):
    page = Page(experiment, tmp_path)
    experiment.report({}, page)
    text = page.save({}, [("a run", "failed")]).read_text()
    assert text.startswith(f"# {experiment.title}")
    assert "a run: failed" in text
    assert "![" not in text  # no empty plot; matplotlib may be missing
    assert not page.claims

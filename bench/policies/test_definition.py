"""When two figures have the same definition."""

from dataclasses import replace

import pytest

from bench.policies import definition
from bench.policies.definition import definition_of, python_code
from bench.policies.scenarios import SCENARIOS

ONE = SCENARIOS[0]


def test_another_path_is_another_definition():
    others = [replace(ONE, queue=ONE.queue + 1), replace(ONE, rates=((0, 3),)),
              replace(ONE, down={"loss": 0.1}), replace(ONE, from_second=4)]
    found = [definition_of(scenario, 3) for scenario in (ONE, *others)]
    assert len(set(found)) == len(found)
    assert definition_of(ONE, 3) == found[0]


def test_another_description_of_a_scenario_is_the_same_definition():
    other = replace(ONE, what="a link", quick=not ONE.quick)
    assert definition_of(other, 3) == definition_of(ONE, 3)


def test_other_measuring_code_is_another_definition(monkeypatch):
    before = definition_of(ONE, 3)
    monkeypatch.setattr(definition, "_code", lambda: "other")
    assert definition_of(ONE, 3) != before


def test_another_ssim_interval_is_another_definition():
    assert definition_of(ONE, 3) != definition_of(ONE, 1)


@pytest.mark.parametrize("name", ["link_emulator", "ts_client", "shown_quality"])
def test_another_build_of_a_program_that_measures_is_another_definition(monkeypatch, name):
    before = definition_of(ONE, 3)
    definition._code.cache_clear()
    monkeypatch.setattr(definition, "build_of", lambda path: str(path).replace(name, "other"))
    assert definition_of(ONE, 3) != before


def test_comments_do_not_count_as_code():
    assert python_code('def f():\n    """Doc."""\n    return 1  # why\n') == python_code(
        "def f():\n    return 1\n")
    assert python_code("a = 1") != python_code("a = 2")


def test_the_place_of_a_module_does_not_count_as_code():
    moved = "from bench.policies import results\nfrom bench.policies.run import Lane\nLane(results)\n"
    assert python_code(moved) == python_code("import results\nfrom run import Lane\nLane(results)\n")

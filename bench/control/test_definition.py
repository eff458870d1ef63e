"""When figures are of the same thing."""

from dataclasses import replace

import definition
from definition import cpp_code, definition_of, python_code
from scenarios import SCENARIOS

ONE = SCENARIOS[0]


def test_another_path_is_another_definition():
    others = [replace(ONE, queue=ONE.queue + 1), replace(ONE, rates=((0, 3),)),
              replace(ONE, down={"loss": 0.1}), replace(ONE, from_second=4)]
    found = [definition_of(scenario) for scenario in (ONE, *others)]
    assert len(set(found)) == len(found)
    assert definition_of(ONE) == found[0]


def test_other_words_for_a_scenario_are_not():
    assert definition_of(replace(ONE, what="a link", quick=not ONE.quick)) == definition_of(ONE)


def test_other_measuring_code_is_another_definition(monkeypatch):
    before = definition_of(ONE)
    monkeypatch.setattr(definition, "_code", lambda: "other")
    assert definition_of(ONE) != before


def test_comments_are_no_code():
    assert python_code('def f():\n    """What."""\n    return 1  # why\n') == python_code(
        "def f():\n    return 1\n")
    assert python_code("a = 1") != python_code("a = 2")
    assert cpp_code("int a = 1;  // why\n// what\n") == cpp_code("int  a = 1;\n")
    assert cpp_code("int a = 1;") != cpp_code("int a = 2;")

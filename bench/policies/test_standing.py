"""How policies compare with each other."""

import pytest

from bench.policies.scenarios import Competitor, Scenario
from bench.policies.standing import ahead, standings

STEPS = Scenario("steps", "", seconds=9, rtt_ms=40, queue=1)
BESIDE = Scenario("beside", "", seconds=9, rtt_ms=40, queue=1,
                  competitor=Competitor("cubic", 1, 8))


def figures(p95, share, **others):
    return {"seed": 1, "p95": p95, "share": share, **others}


def word(own, its, scenario=STEPS):
    found, = standings("a", scenario, {"a": [own], "b": [its]})
    return found.word


@pytest.mark.parametrize("its, expected", [
    (figures(60, 0.9), "ahead"),
    (figures(60, 0.5), "ahead"),
    (figures(52, 0.9), "ahead"),
    (figures(51, 0.9), "level"),
    (figures(49, 0.9), "level"),
    (figures(49, 0.5), "level"),
    (figures(51, 0.99), "behind"),
    (figures(40, 0.9), "behind"),
    (figures(40, 0.99), "behind"),
    (figures(40, 0.3), "trade"),
    (figures(60, 0.99), "trade")])
def test_standing_of_one_policy_against_another(its, expected):
    assert word(figures(50, 0.9), its) == expected


def test_two_policies_cannot_both_be_ahead():
    pairs = [(figures(50, 0.9), figures(50 + longer, 0.9)) for longer in (-3, -1, 0, 1, 3)]
    assert [(word(own, its), word(its, own)) for own, its in pairs] == [
        ("behind", "ahead"), ("level", "level"), ("level", "level"), ("level", "level"),
        ("ahead", "behind")]


def test_starving_others_does_not_count_as_ahead():
    assert word(figures(50, 1.0), figures(60, 1.4)) == "trade"
    assert word(figures(50, 1.0), figures(60, 1.4), BESIDE) == "ahead"


def test_the_text_has_the_bulk_flows_share():
    found, = standings("a", BESIDE, {"a": [figures(50, 1.0, competitor_share=0.98)],
                                     "b": [figures(60, 1.4, competitor_share=0.55)]})
    assert found.text == "50 ms at 100% (bulk 98%), b 60 ms at 140% (bulk 55%)"


def test_only_seeds_that_both_have_are_compared():
    own = [figures(50, 0.9), figures(90, 0.9, seed=2), figures(90, 0.9, seed=3)]
    found, = standings("a", STEPS, {"a": own, "b": [figures(60, 0.9)]})
    assert (found.word, found.text) == ("ahead", "50 ms at 90%, b 60 ms at 90%")
    strangers = {"a": own, "b": [figures(60, 0.9, seed=4)]}
    assert standings("a", STEPS, strangers)[0].word == "unknown"
    assert ahead("a", STEPS, strangers) == ("UNKNOWN", "b")


def test_a_policy_that_failed_is_not_ahead_and_others_failures_do_not_count():
    failed = {"seed": 2, "failed": "no such picture"}
    own = [figures(50, 0.9)]
    assert ahead("a", STEPS, {"a": own, "b": [figures(60, 0.9), failed]}) == ("PASS", "")
    results = {"a": [*own, failed], "b": [figures(60, 0.9)], "c": [figures(60, 0.9)]}
    assert ahead("a", STEPS, results) == ("MISS", "failed")
    assert [standing.text for standing in standings("a", STEPS, results)] == [
        "seed 2: no such picture"]
    assert ahead("a", STEPS, {"a": own, "b": [{**failed, "seed": 1}]}) == ("UNKNOWN", "b")


def test_the_worst_standing_counts():
    results = {"a": [figures(50, 0.9)], "b": [figures(60, 0.9)]}
    assert ahead("a", STEPS, {"a": results["a"]}) == ("PASS", "")
    assert ahead("a", STEPS, results) == ("PASS", "")
    results["c"] = [figures(51, 0.9)]
    assert ahead("a", STEPS, results) == ("LEVEL", "c")
    results |= {"d": [figures(40, 0.3)], "e": [figures(60, 0.99)]}
    assert ahead("a", STEPS, results) == ("TRADE", "d,e")
    results["f"] = [figures(40, 0.95)]
    assert ahead("a", STEPS, results) == ("MISS", "f")

"""Which targets are met."""

import math

from bench.policies import targets
from bench.policies.scenarios import Competitor, Scenario

STEPS = Scenario("steps", "", seconds=9, rtt_ms=40, queue=1)


def figures(p95, share, **others):
    return {"seed": 1, "p95": p95, "share": share, "excess_p95": p95 - 25, "down_pictures": [],
            "return_ms": [], **others}


def met(scenario, control, **found):
    """{column: whether its target is met} of the targets that apply."""
    judgements = {target.column.head: targets.judged(target, scenario, control, [found])
                  for target in targets.TARGETS}
    return {head: judgement[0] == "PASS" for head, judgement in judgements.items() if judgement}


def test_the_worst_step_of_a_run_counts():
    reached = met(STEPS, "cubic", **figures(125, 0.9, down_pictures=[0, 1], return_ms=[900, 1000]))
    assert reached == {"excess95 ms": True, "share %": True, "down pic": True, "return ms": True}
    missed = met(STEPS, "cubic", **figures(126, 0.89, down_pictures=[0, 2],
                                           return_ms=[9, math.inf]))
    assert missed == dict.fromkeys(reached, False)


def test_of_two_seeds_the_worse_one_is_judged():
    share, = [target for target in targets.TARGETS if target.column is targets.SHARE]
    excess, = [target for target in targets.TARGETS if target.column is targets.EXCESS]
    runs = [figures(50, 0.95), figures(150, 0.5)]
    assert targets.judged(share, STEPS, "cubic", runs) == ("MISS", "50")
    assert targets.judged(excess, STEPS, "cubic", runs) == ("MISS", "125")


def test_a_failed_run_misses_all_targets_that_apply():
    failed = {"seed": 2, "failed": "no such picture"}
    found = {target.column.head: targets.judged(target, STEPS, "cubic", [figures(50, 0.95), failed])
             for target in targets.TARGETS}
    assert found == {"excess95 ms": ("MISS", "failed"), "share %": ("MISS", "failed"),
                     "down pic": None, "return ms": None, "of bulk queue": None}
    share, = [target for target in targets.TARGETS if target.column is targets.SHARE]
    assert targets.judged(share, STEPS, "cubic", [failed]) == ("MISS", "failed")


def test_still_content_has_no_share_target():
    still = Scenario("still", "", seconds=9, rtt_ms=40, queue=1, content="static")
    assert "share %" not in met(still, "cubic", **figures(50, 0.2))


def test_next_to_a_bulk_flow_queueing_is_compared_with_the_flows():
    beside = Scenario("beside", "", seconds=9, rtt_ms=40, queue=1,
                      competitor=Competitor("cubic", 1, 8))
    found = figures(145, 0.95, fair_share=0.9, competitor_rtt_p95=140)
    assert met(beside, "bbr", **found) == {"share %": True, "of bulk queue": True}
    assert met(beside, "bbr", **{**found, "excess_p95": 121})["of bulk queue"] is False


def test_on_a_shared_link_the_share_is_of_the_fair_rate():
    beside = Scenario("beside", "", seconds=9, rtt_ms=40, queue=1,
                      competitor=Competitor("cubic", 1, 8))
    found = figures(145, 0.92, fair_share=0.88, competitor_rtt_p95=140)
    assert met(beside, "bbr", **found)["share %"] is False


def test_under_light_loss_only_bbr_has_a_share_target():
    lossy = Scenario("loss", "", seconds=9, rtt_ms=80, queue=1, down={"loss": 0.005})
    assert met(lossy, "bbr", **figures(300, 0.95)) == {"share %": True}
    assert met(lossy, "cubic", **figures(300, 0.2)) == {}


def test_the_summary_counts_met_targets(capsys):
    results = {"a": [figures(50, 0.95)], "b": [figures(60, 0.5)], "c": [figures(40, 0.3)]}
    targets.print_summary("a", [(STEPS, "cubic", results)])
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    cells = {line[0]: [cell for cell in line[1:] if cell] for line in lines}
    assert [cell.strip() for cell in cells["steps cubic"]] == [
        "PASS 25", "PASS 95", "-", "-", "-", "TRADE c"]
    assert [cell.strip() for cell in cells["PASS"]] == ["1 of 1", "1 of 1", "-", "-", "-", "0 of 1"]


def test_the_summary_explains_equality(capsys):
    targets.print_summary("a", [(STEPS, "cubic", {"a": [figures(50, 0.95)]}, 0)])
    text = " ".join(capsys.readouterr().out.split())
    assert "p95 of others is within 2 ms" in text
    assert "a share up to 1 point lower counts as equal" in text


def test_a_policy_without_figures_is_not_said_to_be_ahead(capsys):
    targets.print_summary("a", [(STEPS, "cubic", {"b": [figures(60, 0.5)]})])
    assert "there are no figures of a" in capsys.readouterr().out

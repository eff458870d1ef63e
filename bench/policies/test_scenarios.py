"""The scenarios, the capacity of their links, and the mobile traces."""

import math
import statistics

import pytest

from bench.policies.capacity import PAYLOAD, USED, Capacity, Change, on_the_wire, oracle, oracle_delays
from bench.policies.mobile_trace import FAST, LTE, TICK, mobile_trace
from bench.policies.scenarios import SCENARIOS, Competitor, Scenario


def test_a_capacity_holds_until_the_next_change():
    capacity = Capacity([Change(0, 10e6), Change(5, 2e6)])
    assert [capacity.link(at) for at in (0, 4.9, 5, 99)] == [10e6, 10e6, 2e6, 2e6]
    assert capacity.payload(6) == pytest.approx(2e6 * PAYLOAD)


def test_a_dark_link_carries_nothing_and_its_end_is_a_step():
    capacity = Capacity([Change(0, 8e6), Change(5, 0), Change(6, 8e6)])
    assert capacity.payload(5.5) == 0
    assert capacity.link_payload(5.5) == pytest.approx(8e6 * PAYLOAD)
    assert capacity.steps(1.5) == [(Change(6, 8e6), math.inf)]


def test_steps_are_the_changes_that_are_large_enough():
    capacity = Capacity([Change(0, 10e6), Change(1, 9e6), Change(2, 2e6), Change(3, 6e6)])
    assert [(change.at, pytest.approx(ratio)) for change, ratio in capacity.steps(1.5)] == [
        (2, 2 / 9), (3, 3)]


def test_passed_accounts_for_changes_and_dark_times():
    capacity = Capacity([Change(0, 2e6 / PAYLOAD), Change(1, 0), Change(2, 1e6 / PAYLOAD)])
    assert capacity.passed(0.5, 500_000) == pytest.approx(0.75)
    assert capacity.passed(0.5, 1_500_000) == pytest.approx(2.5)


def test_nothing_passes_a_link_that_stays_dark():
    assert Capacity([Change(0, 1e6), Change(1, 0)]).passed(1, 1) == math.inf


def test_even_the_oracles_frames_are_late_when_the_link_falls():
    capacity = Capacity([Change(0, 10e6), Change(1.01, 1e6)])
    captures = [n / 30 for n in range(150)]
    delays = oracle_delays(capacity, captures, 1 / 30, 6e6, one_way=0.02)
    assert delays[0] == pytest.approx(0.041, abs=0.002)  # 0.2 Mbit at 9.65 Mbit/s
    assert max(delays) == delays[30]  # captured 10 ms before the fall
    assert delays[30] > 0.1
    assert delays[-1] < 0.06  # drained, because the oracle leaves some room


def test_a_share_excludes_competitors_and_other_viewers():
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 8),), viewers=2,
                        competitor=Competitor("cubic", 3, 6))
    capacity = scenario.capacity(1)
    assert [capacity.payload(at) / PAYLOAD for at in (1, 4, 7)] == pytest.approx(
        [4e6, 8e6 / 3, 4e6])
    assert scenario.shared
    assert capacity.link_payload(4) / PAYLOAD == pytest.approx(8e6)


def test_each_of_several_competitors_has_a_share():
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 8),),
                        competitor=Competitor("cubic", 3, 6, flows=3))
    assert scenario.capacity(1).payload(4) / PAYLOAD == pytest.approx(2e6)


def test_a_frame_has_the_whole_link_while_it_passes():
    capacity = Capacity([Change(0, 8e6 / PAYLOAD)], share=lambda at: 1 / 4)
    assert capacity.passed(0, 4e6) == pytest.approx(0.5)


def test_the_oracle_uses_its_part_of_the_fair_share():
    assert on_the_wire(oracle(4e6, ceiling=6e6)) == pytest.approx(USED * 4e6)


def test_seeds_shift_each_step_and_nothing_else():
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 10), (3, 2), (6, 10)))
    first, second = (scenario.capacity(seed).changes for seed in (1, 2))
    assert first == scenario.capacity(1).changes
    assert first[0].at == 0
    assert first[1].at != second[1].at
    assert 3 <= first[1].at < 4
    assert 6 <= first[2].at < 7
    assert first[2].at - first[1].at != pytest.approx(3)


def test_a_dark_time_keeps_its_length():
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 8), (3, 0), (4, 8)))
    _, dark, light = scenario.capacity(1).changes
    assert 3 < dark.at < 4
    assert light.at - dark.at == pytest.approx(1)


@pytest.mark.parametrize("radio", [LTE, FAST])
def test_a_trace_is_the_same_for_a_seed_and_differs_between_them(radio):
    assert mobile_trace(radio, 20, 7) == mobile_trace(radio, 20, 7)
    assert mobile_trace(radio, 20, 7) != mobile_trace(radio, 20, 8)


@pytest.mark.parametrize("radio", [LTE, FAST])
def test_a_trace_stays_within_the_limits_of_its_radio(radio):
    trace = mobile_trace(radio, 600, 1)
    assert len(trace) == 600 / TICK
    rates = [rate for _, rate in trace]
    assert radio.states[0] < statistics.mean(rates) < radio.states[-1]
    assert min(rates) > 0
    interrupted = statistics.mean(rate <= radio.left for rate in rates)
    expected = radio.interruption * sum(radio.interrupted) / 2
    assert 0.3 * expected < interrupted < 3 * expected


def test_scenarios_have_unique_names_and_time_to_measure():
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)
    for scenario in SCENARIOS:
        assert scenario.from_second < scenario.seconds - 5
        assert all(change.at < scenario.seconds for change in scenario.capacity(1).changes)

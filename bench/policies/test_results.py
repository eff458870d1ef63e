"""Which records belong to which viewer, and how figures are compared."""

import json
from types import SimpleNamespace

import pytest

from bench.policies import results
from bench.policies.capacity import PAYLOAD, on_the_wire
from bench.policies.measure import FRAMES_PER_SECOND
from bench.policies.results import LaneResult, sessions
from bench.policies.run import Lane
from bench.policies.scenarios import CEILING, Competitor, Scenario


def write(directory, name, requested):
    (directory / name).write_text(json.dumps({"event": "join", "requested": requested}) + "\n")


def test_sessions_are_in_the_order_of_their_viewers(tmp_path):
    write(tmp_path, "off-cubic-2.jsonl", 5)
    write(tmp_path, "off-cubic-1.jsonl", 7)
    write(tmp_path, "itcp-cubic-3.jsonl", 1)
    assert [lines[0]["requested"] for lines in sessions(tmp_path, "off-cubic", 2)] == [5, 7]


def test_a_viewer_who_never_reached_the_server_has_an_empty_session(tmp_path):
    assert sessions(tmp_path, "off-cubic", 1) == [[]]


def test_a_missing_session_of_several_viewers_is_an_error(tmp_path):
    write(tmp_path, "off-cubic-1.jsonl", 7)
    with pytest.raises(RuntimeError, match="1 sessions of 2 viewers"):
        sessions(tmp_path, "off-cubic", 2)


LANE = Lane("off", "cubic")
BITS = 100_000  # of each frame


def run_of(directory, scenario, delay=lambda seconds: 0.1):
    """The parts of a run that LaneResult reads; the run began at 100. `delay` maps seconds since the
    beginning to the delay of frames captured then, in seconds."""
    numbers = range(int(scenario.seconds * FRAMES_PER_SECOND))
    lines = [{"event": "frame", "number": n, "pts": n / FRAMES_PER_SECOND,
              "captured": 100 + n / FRAMES_PER_SECOND} for n in numbers]
    start = {"event": "decision", "requested": 0, "at": 100, "rate": CEILING}
    (directory / "off-cubic-1.jsonl").write_text("\n".join(map(json.dumps, [start, *lines])))
    pictures = [{"pts": line["pts"], "bytes": BITS // 8,
                 "arrival_ns": round(1e9 * (line["captured"] + delay(line["captured"] - 100)))}
                for line in lines]
    return SimpleNamespace(scenario=scenario, lanes=[LANE], begin=100, end=100 + scenario.seconds,
                           trace=directory, capacity=scenario.capacity(1),
                           pictures={LANE: [pictures]}, competitors={},
                           recording=lambda lane, viewer: directory / "recording")


def beside_bulk(directory, flow):
    """A link of 8 Mbit/s shared with a bulk flow; each frame is 0.1 s late."""
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 8),), from_second=5,
                        competitor=Competitor("cubic", 1, 9))
    run = run_of(directory, scenario)
    run.competitors = {LANE: [flow]}
    return LaneResult(run, LANE, every=3)


def test_a_frames_own_time_is_that_on_the_whole_link(tmp_path):
    found = beside_bulk(tmp_path, None)._delays()
    own = 1e3 * BITS / (PAYLOAD * 8e6)
    assert found["excess_p95"] == pytest.approx(100 - 20 - own, abs=0.01)


def test_a_fair_share_is_of_the_payload(tmp_path):
    found = beside_bulk(tmp_path, None)._rates()
    wire = on_the_wire(BITS * FRAMES_PER_SECOND)
    assert found["fair_share"] == pytest.approx(wire / (PAYLOAD * 4e6))


def test_a_bulk_flow_is_measured_while_the_viewer_is(tmp_path):
    flow = SimpleNamespace(received=[(102, 9e9), (105, PAYLOAD * 6e6), (108.5, 9e9)],
                           round_trips=[(102, 0.9), (106, 0.1), (108.5, 0.9)])
    found = beside_bulk(tmp_path, flow)._competitor([flow])
    assert found["competitor_rtt_p95"] == pytest.approx(100)
    assert found["competitor_rate"] == pytest.approx(PAYLOAD * 2e6)
    assert found["competitor_share"] == pytest.approx(0.5)


def test_bulk_flows_are_measured_by_their_mean(tmp_path):
    flows = [SimpleNamespace(received=[(105, rate)], round_trips=[(106, 0.1)]) for rate in (0, 12e6)]
    found = beside_bulk(tmp_path, None)._competitor(flows)
    assert found["competitor_rate"] == pytest.approx(2e6)


def test_behind_a_token_bucket_a_frames_own_time_is_at_the_peak_rate(tmp_path):
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 3),),
                        down={"bucket": 32_000, "peak": 100_000_000})
    found = LaneResult(run_of(tmp_path, scenario), LANE, every=3)._delays()
    assert found["excess_p95"] == pytest.approx(100 - 20 - 1e3 * BITS / (PAYLOAD * 100e6), abs=0.01)


FALLS = Scenario("", "", seconds=30, rtt_ms=40, queue=1,
                 rates=((0, 8), (8, 2), (13, 8), (18, 7), (22, 2)))


def test_frames_after_a_fall_have_their_own_figure(tmp_path):
    run = run_of(tmp_path, FALLS)
    falls = [change.at for change, ratio in run.capacity.steps(results.STEP) if ratio < 1]
    assert len(falls) == 2
    run = run_of(tmp_path, FALLS, delay=lambda seconds: 0.5 if any(
        0 <= seconds - fall < 2 for fall in falls) else 0.9)
    result = LaneResult(run, LANE, every=3)
    found = result._delays()
    own = 1e3 * BITS / (PAYLOAD * 2e6)
    assert found["fall_p95"] == pytest.approx(500 - 20 - own, abs=0.01)
    assert found["excess_p50"] > 800
    # The oracle's delay comes from its last large frames, and from audio.
    audio = 1e3 * (on_the_wire(0) / FRAMES_PER_SECOND) / (PAYLOAD * 2e6)
    assert audio < result._oracle()["fall_p95"] < 100


def test_there_is_no_figure_without_a_fall_or_rise_to_follow(tmp_path, monkeypatch):
    result = LaneResult(run_of(tmp_path, FALLS), LANE, every=3)
    asked = []
    monkeypatch.setattr(results.measure, "follow_down", lambda *how: asked.append(how[-1]))
    assert result._following() == {"down_pictures": [], "down_ms": [], "return_ms": []}
    result._lane = Lane("symbiosis", "cubic")
    result._following()
    assert asked == [False, False, True, True]  # whether the policy skips frames


def test_there_is_no_fall_figure_without_a_fall(tmp_path):
    steady = Scenario("", "", seconds=9, rtt_ms=40, queue=1)
    result = LaneResult(run_of(tmp_path, steady), LANE, every=3)
    assert "fall_p95" not in result._delays()  # null would mean never
    assert "fall_p95" not in result._oracle()


def test_the_first_moments_show_frames_that_arrived_before_them(tmp_path, monkeypatch):
    plans = []

    def shown_quality(command, input, **options):
        plans.extend(line.split() for line in input.splitlines())
        return SimpleNamespace(returncode=0, stdout="1\n", stderr="")

    monkeypatch.setattr(results.subprocess, "run", shown_quality)
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, from_second=3)
    run = run_of(tmp_path, scenario, delay=lambda seconds: 1)
    LaneResult(run, LANE, every=3)._ssim()
    number, captured, shown = plans[0]
    assert (int(number), float(captured)) == (90, pytest.approx(103))
    assert int(shown) < 90


def test_a_failed_lane_does_not_affect_the_others(monkeypatch):
    class Result:
        def __init__(self, run, lane, every):
            self._lane = lane

        def figures(self):
            if self._lane.policy == "off":
                raise KeyError("departed")
            return {"p95": 50}

    monkeypatch.setattr(results, "LaneResult", Result)
    other = Lane("itcp", "cubic")
    assert results.results_of(SimpleNamespace(lanes=[LANE, other]), 3) == {
        LANE: {"failed": "KeyError: 'departed'"}, other: {"p95": 50}}


def test_a_failure_is_one_line():
    failed = results.failure(AssertionError("symcast ended with -6:\nits log"))
    assert failed == {"failed": "AssertionError: symcast ended with -6"}

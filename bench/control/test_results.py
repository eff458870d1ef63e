"""Whose records are whose, and what is compared with what."""

import json
from types import SimpleNamespace

import pytest

from capacity import PAYLOAD, on_the_wire
from measure import FRAMES_PER_SECOND
from results import LaneResult, sessions
from run import Lane
from scenarios import Competitor, Scenario


def write(directory, name, requested):
    (directory / name).write_text(json.dumps({"event": "join", "requested": requested}) + "\n")


def test_sessions_are_in_the_order_of_their_viewers(tmp_path):
    write(tmp_path, "off-cubic-2.jsonl", 5)
    write(tmp_path, "off-cubic-1.jsonl", 7)
    write(tmp_path, "itcp-cubic-3.jsonl", 1)
    assert [lines[0]["requested"] for lines in sessions(tmp_path, "off-cubic", 2)] == [5, 7]


def test_a_viewer_who_never_reached_the_server_has_an_empty_session(tmp_path):
    assert sessions(tmp_path, "off-cubic", 1) == [[]]


def test_of_several_viewers_none_may_be_missing(tmp_path):
    write(tmp_path, "off-cubic-1.jsonl", 7)
    with pytest.raises(RuntimeError, match="1 sessions of 2 viewers"):
        sessions(tmp_path, "off-cubic", 2)


LANE = Lane("off", "cubic")
BITS = 100_000  # of each picture


def beside_bulk(directory, flow):
    """What LaneResult reads of a run that began at 100: a link of 8 Mbit/s beside a bulk flow, each
    picture 0.1 s late."""
    numbers = range(9 * FRAMES_PER_SECOND)
    lines = [{"event": "frame", "requested": 0, "number": n, "pts": n / FRAMES_PER_SECOND,
              "captured": 100 + n / FRAMES_PER_SECOND} for n in numbers]
    (directory / "off-cubic-1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    pictures = [{"pts": line["pts"], "arrival_ns": round(1e9 * (line["captured"] + 0.1)),
                 "bytes": BITS // 8} for line in lines]
    scenario = Scenario("", "", seconds=9, rtt_ms=40, queue=1, rates=((0, 8),), from_second=5,
                        competitor=Competitor("cubic", 1, 9))
    run = SimpleNamespace(scenario=scenario, begin=100, end=109, trace=directory,
                          capacity=scenario.capacity(1), pictures={LANE: [pictures]},
                          competitors={LANE: flow})
    return LaneResult(run, LANE, every=3)


def test_a_picture_s_own_time_is_on_the_whole_link(tmp_path):
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
    found = beside_bulk(tmp_path, flow)._competitor(flow)
    assert found["competitor_rtt_p95"] == pytest.approx(100)
    assert found["competitor_rate"] == pytest.approx(PAYLOAD * 2e6)
    assert found["competitor_share"] == pytest.approx(0.5)

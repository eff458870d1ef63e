"""The crowd's configuration, and the traces that are read beside it."""

import json
import tomllib

from bench.policies.crowd import TraceFiles
from bench.policies.run import Lane, config_of
from bench.policies.scenarios import SCENARIOS


def test_the_crowd_has_a_stream_of_its_own_and_is_let_in():
    lanes = [Lane("symbiosis", "cubic")]
    config = tomllib.loads(config_of(SCENARIOS[0], lanes, crowd=1000))
    assert [stream["name"] for stream in config["stream"]] == ["symbiosis-cubic", "crowd"]
    assert config["server"]["max_viewers"] > 1000 < config["server"]["max_viewers_per_address"]
    assert "server" not in tomllib.loads(config_of(SCENARIOS[0], lanes))


def test_each_viewer_has_a_file_of_their_own_lines(tmp_path):
    files = TraceFiles("live", tmp_path)
    for line in [{"event": "trace", "at": 1}, {"viewer": 7, "event": "join", "requested": 2},
                 {"viewer": 9, "event": "join", "requested": 3}, {"viewer": 7, "event": "frame"},
                 {"event": "idle", "at": 20}, {"viewer": 7, "event": "leave"}]:
        files.take(line)
    first, second = sorted(tmp_path.glob("live-*.jsonl"))
    assert [json.loads(line)["event"] for line in first.read_text().splitlines()] == ["join", "frame", "leave"]
    assert json.loads(second.read_text()) == {"event": "join", "requested": 3}
    assert (files.watching, files.lost) == ({9}, 0)
    files.take({"event": "dropped", "at": 21, "lines": 3})
    assert files.lost == 3

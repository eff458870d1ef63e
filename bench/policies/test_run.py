"""Configuration of each lane's stream, and the error of a run whose server ends."""

import tomllib
from types import SimpleNamespace

import pytest

from netlab.daemon import Daemon
from bench.policies.run import Lane, Run, config_of
from bench.policies.scenarios import SCENARIOS


def test_policies_that_climb_by_rule_begin_at_the_ceiling_and_estimating_ones_do_not():
    policies = ["off", "itcp", "dbr", "delivery", "gcc", "pudica", "camel",
                "vidaptive", "symbiosis"]
    config = tomllib.loads(config_of(SCENARIOS[0], [Lane(policy, "cubic") for policy in policies]))
    starts = {stream["control"]["policy"]: stream["rate"]["start"] for stream in config["stream"]}
    assert {policy for policy in policies if starts[policy] == config["rate"]["max"]} == {
        "off", "itcp", "dbr", "gcc"}
    assert {starts[policy] for policy in ("delivery", "pudica", "camel", "vidaptive", "symbiosis")} == {"2000000"}


def test_a_run_whose_server_ended_fails_with_its_log(monkeypatch):
    daemon, run = Daemon.__new__(Daemon), Run.__new__(Run)
    daemon.process = SimpleNamespace(poll=lambda: -11)
    monkeypatch.setattr(Daemon, "log", lambda self: "its last words")
    monkeypatch.setattr(Run, "_schedule", lambda self, lab, daemon: [])
    with pytest.raises(AssertionError, match="symcast ended with -11:\nits last words"):
        run._stream(None, daemon)


def test_a_lane_may_set_keys_of_tcp():
    lanes = [Lane("symbiosis", "cubic"), Lane("symbiosis/rto_min=20ms/pacing=1.2", "bbr")]
    plain, set_up = tomllib.loads(config_of(SCENARIOS[0], lanes))["stream"]
    assert plain["tcp"] == {"congestion_control": "cubic"}
    assert set_up["name"] == "symbiosis-rto-min-20ms-pacing-1-2-bbr"
    assert set_up["control"]["policy"] == "symbiosis"
    assert set_up["tcp"] == {"congestion_control": "bbr", "rto_min": "20ms", "pacing": 1.2}

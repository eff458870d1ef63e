"""What each lane's stream is told."""

import tomllib

from run import Lane, config_of
from scenarios import SCENARIOS


def test_who_only_gives_way_begins_at_the_ceiling_and_who_estimates_does_not():
    policies = ["off", "itcp", "dbr", "delivery", "gcc", "symbiosis"]
    config = tomllib.loads(config_of(SCENARIOS[0], [Lane(policy, "cubic") for policy in policies]))
    starts = {stream["control"]["policy"]: stream["rate"]["start"] for stream in config["stream"]}
    assert {policy for policy in policies if starts[policy] == config["rate"]["max"]} == {
        "off", "itcp", "dbr"}
    assert {starts[policy] for policy in policies[3:]} == {"2000000"}

import pytest

from bench.fanout.figures import WRAP, Cost, Delay, parse_stat


def test_a_threads_name_may_contain_anything():
    name, fields = parse_stat("17 (loop) 1 (x) S 1 2 3\n")
    assert name == "loop) 1 (x"
    assert fields == ["S", "1", "2", "3"]


def test_costs_are_split_by_thread():
    before = {("1", "symcast"): (1, 1), ("2", "loop0"): (5, 6)}
    after = {("1", "symcast"): (1, 2), ("2", "loop0"): (6, 10), ("3", "encoder"): (3, 0)}
    cost = Cost.between(before, after).per(2)
    assert (cost.loops, cost.kernel, cost.rest, cost.total) == (2.5, 2, 2, 4.5)


def test_a_program_without_loops_is_one():
    cost = Cost.between({}, {("1", "bare"): (1, 2)})
    assert (cost.loops, cost.kernel, cost.rest) == (3, 2, 0)


@pytest.mark.parametrize("rounds", [0, 1, 7])
def test_timestamps_wrap(rounds):
    lags = {name: 100.02 + value + rounds * WRAP for name, value in {"p50": 0, "p95": 0.01, "p99": 0.03}.items()}
    delay = Delay.of(lags, 100)
    assert (delay.p50, delay.p95, delay.p99) == pytest.approx((20, 30, 50))

import pytest

from lab.statistic import kendall, mean_deviation, ranked, spread


def test_spread():
    assert spread([3, 1, 2]) == "2.00 (1.00 to 3.00)"
    assert spread([1.001, 1.002]) == "1.00"
    assert spread([]) == "-"


def test_mean_deviation():
    assert mean_deviation([1, 3], 1) == "2.0 ± 1.0"


@pytest.mark.parametrize("other, correlation", [
    ("abcde", 1), ("edcba", -1), ("bacde", 0.8), ("abced", 0.8)])
def test_kendall(other, correlation):
    assert kendall("abcde", other) == pytest.approx(correlation)


def test_ranked():
    assert ranked({"a": 1, "b": 3, "c": 2}) == ["b", "c", "a"]
    assert ranked({"a": 1, "b": 3, "c": 2}, descending=False) == ["a", "c", "b"]

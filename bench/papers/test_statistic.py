import pytest

from bench.papers.statistic import in_most, less, kendall, mean_deviation, ranked, signed_rank, spread


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


def test_a_claim_holds_if_it_holds_in_most_seeds():
    assert in_most([True] * 4 + [False]) is True
    assert in_most([False] * 4 + [True]) is False
    assert in_most([True] * 3 + [False] * 2) is None


def test_an_undecided_seed_does_not_count():
    assert in_most([None, None, True]) is True
    assert in_most([None, None]) is None
    assert in_most([]) is None


def test_equal_values_are_undecided():
    assert less([1, 2, 3], [2, 2, 2]) == [True, None, False]


@pytest.mark.parametrize("differences, chance", [
    ([1, 2, 3, 4, 5], 2 / 32),
    ([-1, 2, 3, 4, 5], 4 / 32),
    ([-27, 77, 46, 0, -2, 113, 0, 72, 54, 33], 10 / 256),
    ([1, -1], 1),  # equal sizes share a rank
    ([1, 1, 1, -1], 10 / 16)])
def test_signed_rank(differences, chance):
    assert signed_rank(differences, [0] * len(differences)) == pytest.approx(chance)


def test_equal_pairs_have_no_result():
    assert signed_rank([1, 2], [1, 2]) is None

from bench.papers.cross_traffic import periods


def test_periods_are_in_order_and_bounded():
    found = periods(seed=3, seconds=100, first=2, mean_pause=6, mean_length=4)
    assert found[0][0] == 2
    assert all(2 <= end - begin <= 8 for begin, end in found)
    assert all(3 <= later[0] - earlier[1] <= 12 for earlier, later in zip(found, found[1:]))
    assert found[-1][0] < 100


def test_a_seed_gives_the_same_periods():
    assert periods(1, 50, 1, 5, 5) == periods(1, 50, 1, 5, 5) != periods(2, 50, 1, 5, 5)

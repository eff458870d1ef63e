from lab.statistic import mean_deviation, spread


def test_spread():
    assert spread([3, 1, 2]) == "2.00 (1.00 to 3.00)"
    assert spread([1.001, 1.002]) == "1.00"
    assert spread([]) == "-"


def test_mean_deviation():
    assert mean_deviation([1, 3], 1) == "2.0 ± 1.0"

"""A guest outside its stated errors is refused."""

import pytest

from bench.papers import guest

FINE = {"rtts": [(20, 20.3), (150, 150.6)], "rates": [(1.5e6, 1.5e6)], "losses": [(0.05, 0.053)],
        "controls": guest.CHECKED["controls"], "kernel": "6.1"}


def test_values_within_their_error_are_accepted():
    lines, wrong = guest.judge(FINE)
    assert wrong == [] and len(lines) == 5


@pytest.mark.parametrize("what, off", [
    ({"rtts": [(20, 22.0)]}, "RTT 20 ms: 22.00 ± 1.2"),
    ({"rates": [(1.5e6, 1.45e6)]}, "rate 1.5 Mbit/s: 1.450 ± 2%"),
    ({"losses": [(0.05, 0.03)]}, "loss 5.0%: 3.0% ± 1.1%"),
    ({"controls": ["bic", "cubic", "bbr"]}, "kernel 6.1: no highspeed, htcp, vegas")])
def test_values_outside_their_error_are_reported(what, off):
    assert guest.judge({**FINE, **what})[1] == [off]

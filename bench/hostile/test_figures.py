import pytest

from bench.hostile.figures import WRAP, Arrivals, longest_gap, shortened, verdict

LOG = """\
2026-11-28T09:43:47.511+00:00 info source_connected stream=good source="test:?size=320x180" size=320x180
2026-11-28T09:43:48.000+00:00 info stream_added stream=bad
2026-11-28T09:43:48.100+00:00 info configuration_reloaded
2026-11-28T09:43:49.250+00:00 warning source_address_refused stream=bad address=fd://0 reason="no \\"fd\\"" times=1
2026-11-28T09:43:50.000+00:00 warning source_lost stream=bad source=http://x/ reason="the end" retry_in=0.5
2026-11-28T09:43:51.000+00:00 info source_connected stream=bad2 source=x
"""


def test_the_first_warning_names_a_source_and_its_last_loss_says_why():
    assert verdict(LOG, "bad") == (1.25, "the end", False)


def test_a_source_that_plays_needs_no_reason():
    assert verdict(LOG, "good") == (None, None, True)


def test_without_a_loss_the_event_is_part_of_the_reason():
    log = "".join(line for line in LOG.splitlines(True) if "lost" not in line)
    assert verdict(log, "bad")[1] == 'source_address_refused: no \\"fd\\"'


def test_a_gap_may_be_at_the_end():
    assert longest_gap([1, 2, 2.5, 9], 1, 3) == 1
    assert longest_gap([1, 2], 1, 9) == 7
    assert longest_gap([], 1, 4) == 3


def test_long_texts_are_cut():
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"


def picture(viewer, at, late, size=1000):
    """The picture that was due at 10 s is the last before timestamps restart."""
    return viewer, at, round((at - late - 10) % WRAP * 90_000), size


def test_pictures_are_late_above_the_least():
    arrivals = Arrivals([picture(0, 9, 0.02), picture(0, 10.1, 0.03), picture(1, 11, 0.12), picture(1, 12, 0.01)])
    assert arrivals.late(0, 0, 20) == pytest.approx(0)
    assert arrivals.late(99, 0, 20) == pytest.approx(0.02, abs=1e-4)
    assert arrivals.late(100, 0, 20) == pytest.approx(0.11, abs=1e-4)
    assert arrivals.late(100, 0, 11) == pytest.approx(0.02, abs=1e-4)
    assert arrivals.late(99, 13, 20) is None


def test_a_gap_is_one_viewers():
    arrivals = Arrivals([picture(0, at, 0) for at in range(10)] + [picture(1, at, 0) for at in (0, 3, 9)])
    assert arrivals.gap(0, 9) == 6
    assert arrivals.gap(0, 6) == 3


def test_a_rate_is_each_viewers():
    assert Arrivals([picture(viewer, at, 0) for viewer in range(2) for at in range(4)]).rate(0, 2) == 8000

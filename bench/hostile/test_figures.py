from bench.hostile.figures import longest_gap, shortened, verdict

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

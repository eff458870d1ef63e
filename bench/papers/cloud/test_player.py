"""The player's choice of segments and its playback."""

import pytest

from bench.papers.cloud.player import Player, always_highest, throughput_based

LADDER = [350, 630, 1130]


def fetched(player, now, seconds):
    """Fetches a segment in that many `seconds`; returns the time of its arrival."""
    assert player.next_rate(now)
    player.arrived(1, now + seconds)
    return now + seconds


def test_playing_begins_with_the_first_segment():
    player = Player(LADDER, always_highest, now=10)
    assert fetched(player, 10, 1) == 11
    assert player.startup == 1 and player.played == 0
    player.advance(13)
    assert player.played == 2 and player.stalls == []


def test_with_a_full_buffer_nothing_is_fetched_until_a_segment_fits():
    player = Player(LADDER, always_highest, now=0)
    now = fetched(player, fetched(player, 0, 0.1), 0.1)
    assert player.next_rate(now) is None
    assert player.next_rate(3.9) is None  # 4.2 s are left
    assert player.next_rate(4.2)


def test_an_empty_buffer_stalls_until_a_segment_has_arrived():
    player = Player(LADDER, always_highest, now=0)
    now = fetched(player, 0, 1)  # plays from 1 s to 5
    fetched(player, now, 10)  # complete at 11 s, arriving evenly
    assert player.stalls == [6] and player.played == 4
    player.advance(13)
    assert player.played == 6


def test_the_received_part_of_a_segment_is_played():
    player = Player(LADDER, always_highest, now=0)
    now = fetched(player, 0, 1)
    player.next_rate(now)
    player.arrived(0.5, 4)
    player.advance(6.5)
    assert player.played == 5.5 and player.stalls == []


def test_a_present_stall_ends_with_the_session():
    player = Player(LADDER, always_highest, now=0)
    fetched(player, 0, 1)
    player.end(8)
    assert player.stalls == [3] and player.played == 4


def test_always_highest_ignores_throughput():
    assert always_highest(LADDER, [1]) == 1130


@pytest.mark.parametrize("throughputs, rate", [
    ([], 350), ([100], 350), ([800], 630), ([1500], 1130),
    ([1500, 1500, 500], 630),  # their harmonic mean is 900
    ([1, 1500, 1500, 1500], 1130)])  # the first is forgotten
def test_an_adaptive_player_stays_below_its_measured_throughput(throughputs, rate):
    assert throughput_based(LADDER, throughputs) == rate

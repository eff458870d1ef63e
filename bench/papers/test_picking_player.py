from bench.papers.picking_player import BUFFER, SEGMENT, Picking, play

RATES = (235e3, 560e3, 1050e3, 1750e3)


class Link:
    """Delivers segments at this rate, and advances the time."""

    def __init__(self, rate):
        self.rate = rate
        self.now = 0.0
        self.waited = 0.0

    def fetch(self, size):
        self.now += 8 * size / self.rate

    def wait(self, seconds):
        self.waited += seconds
        self.now += seconds

    def play(self, picking, until, **options):
        return play(picking, self.fetch, lambda: self.now, self.wait, until, **options)


def test_the_first_segment_has_the_lowest_rate():
    assert Link(5e6).play(Picking(0.7, RATES), 10)[0].rate == 235e3


def test_picks_the_highest_rate_within_the_conservative_share():
    assert Picking(0.7, RATES).pick([2e6]) == 1050e3
    assert Picking(0.7, RATES).pick([2.5e6]) == 1750e3


def test_picks_the_lowest_rate_if_all_are_too_high():
    assert Picking(0.7, RATES).pick([100e3]) == 235e3


def test_continuous_rates_stay_within_bounds():
    assert Picking(1.0).pick([1.2e6]) == 1.2e6
    assert Picking(1.0).pick([9e6]) == 1750e3


def test_averages_the_last_ten_fetches():
    assert Picking(1.0).pick([9e6] + [1e6] * 10) == 1e6


def test_waits_while_the_buffer_is_full():
    link = Link(50e6)
    fetches = link.play(Picking(1.0), 400)
    assert max(fetch.buffer for fetch in fetches) <= BUFFER
    # In the steady state it fetches one segment per segment duration.
    late = [fetch.at for fetch in fetches if fetch.at > 300]
    assert abs((late[-1] - late[0]) / (len(late) - 1) - SEGMENT) < 0.1


def test_never_waits_on_a_slow_link():
    link = Link(200e3)
    link.play(Picking(1.0), 60)
    assert link.waited == 0


def test_waits_at_once_with_a_full_buffer():
    link = Link(5e6)
    link.play(Picking(1.0), 60, prefilled=BUFFER)
    assert link.waited > 40

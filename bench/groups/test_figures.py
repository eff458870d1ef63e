"""The links of a mixed audience and the figures of a run, by hand."""

import math
import random

import pytest

from bench.audience import Sample
from bench.groups import figures
from netlab.daemon import Metrics


def test_each_viewer_has_a_delay_of_its_own_and_the_rate_of_its_class():
    paths = figures.draw_paths(random.Random(1))
    assert len(paths) == len({path.delay_ms for path in paths}) == figures.VIEWERS == 20
    assert all(5 <= path.delay_ms <= 40 for path in paths)
    rates = [path.steps[0][1] for path in paths]
    assert [rates.count(rate) for rate in (10e6, 4e6, 2e6, 1e6, 6e6)] == [6, 5, 4, 3, 2]
    assert [path.loss for path in paths if path.loss] == [0.01, 0.01]
    assert paths == figures.draw_paths(random.Random(1))


def test_viewers_are_grouped_by_their_links():
    classes = figures.by_class(range(20))
    assert classes["10 Mbit/s"] == [0, 1, 2, 3, 4, 5]
    assert classes["6 Mbit/s, lossy"] == [18, 19]


def test_a_class_has_the_mean_rate_and_the_delays_of_all_its_viewers():
    viewers = [{"rate": 2e6, "lost": 0.1}, {"rate": 4e6, "lost": 0}]
    of_class = figures.of_class(viewers, [[0.05] * 90, [0.05] * 5 + [0.3] * 5])
    assert of_class == pytest.approx({"rate": 3e6, "lost": 0.05, "p95": 300})


def test_figures_of_the_server_are_of_the_time_between_the_samples():
    def sample(at, cpu, frames, late, moves, groups):
        lines = [f'symcast_groups_max{{stream="live"}} {groups}',
                 f'symcast_group_moves_total{{stream="live",reason="fell"}} {moves}',
                 f'symcast_group_frames_total{{stream="live",group="0"}} {frames}',
                 f'symcast_group_frames_late_total{{stream="live",group="0"}} {late}',
                 f'symcast_group_encode_seconds_total{{stream="live",group="0"}} {cpu / 2}',
                 *(f'symcast_group_viewers{{stream="live",group="{group}"}} 1'
                   for group in range(groups))]
        return Sample(at, cpu, Metrics("\n".join(lines)))

    samples = [sample(100, 20, 500, 5, 40, 2), sample(110, 30, 790, 15, 46, 1)]
    assert figures.of_server(samples) == pytest.approx(
        {"open": 1.5, "held": 1.5, "moves": 6, "shed": 0, "late": 10 / 300, "cpu": 1, "encoders": 0.5})


def test_the_default_is_compared_with_the_fixed_value_of_the_highest_rate():
    results = {groups: {"ln_rate": math.log(rate)}
               for groups, rate in ((1, 1e6), (0, 1.8e6), (4, 2e6), (8, 1.5e6))}
    found = figures.compare(results)
    assert found.best == 4
    assert found.rate == pytest.approx(-0.1)
    assert found.ln == pytest.approx(math.log(1.8e6) / math.log(2e6) - 1)


def test_the_worst_delay_names_its_class():
    classes = {"4 Mbit/s": {"p95": 60}, "1 Mbit/s": {"p95": 130}}
    assert figures.worst_delay({"classes": classes}) == (130, "1 Mbit/s")

"""The links of a mixed audience, and its figures. No I/O, no clock."""

import math
import statistics
from dataclasses import dataclass

from bench.audience import DELAYS, Path, delay_figures, growth, log_rate

DEFAULT = 0  # groups.max


@dataclass(frozen=True)
class LinkClass:
    name: str
    viewers: int
    rate: float  # bit/s
    loss: float = 0


CLASSES = (LinkClass("10 Mbit/s", 6, 10e6), LinkClass("4 Mbit/s", 5, 4e6), LinkClass("2 Mbit/s", 4, 2e6),
           LinkClass("1 Mbit/s", 3, 1e6), LinkClass("6 Mbit/s, lossy", 2, 6e6, loss=0.01))
VIEWERS = sum(link.viewers for link in CLASSES)


def draw_paths(chance):
    """A path for each viewer, in the order of the classes."""
    return [Path(chance.uniform(*DELAYS), [(0, link.rate)], link.loss)
            for link in CLASSES for _ in range(link.viewers)]


def by_class(of_viewers):
    """{name of the class: its part of a list with an item for each viewer}"""
    items = iter(of_viewers)
    return {link.name: [next(items) for _ in range(link.viewers)] for link in CLASSES}


def of_class(figures, delays):
    """Of all viewers of a class together."""
    return {"rate": statistics.mean(each["rate"] for each in figures),
            "p95": delay_figures([delay for each in delays for delay in each])["p95"],
            "lost": statistics.mean(each["lost"] for each in figures)}


def of_server(samples):
    """Of the time between the first sample and the last. CPU times are seconds per second."""
    first, last = samples[0], samples[-1]
    seconds = last.at - first.at
    frames, late = (growth(samples, f"symcast_group_frames{kind}_total") for kind in ("", "_late"))

    def mean(name):
        return statistics.mean(sample.metrics.sum(name) for sample in samples)

    def grown(name):
        return last.metrics.sum(name) - first.metrics.sum(name)

    return {"open": statistics.mean(len(sample.metrics.all("symcast_group_viewers")) for sample in samples),
            "held": mean("symcast_groups_max"),
            "moves": grown("symcast_group_moves_total"), "shed": grown("symcast_groups_shed_total"),
            "late": late / max(1, frames + late),
            "cpu": (last.cpu_s - first.cpu_s) / seconds,
            "encoders": growth(samples, "symcast_group_encode_seconds_total") / seconds}


def of_run(run):
    """All figures of a Run."""
    figures, delays = by_class(run.figures), by_class(run.delays)
    return {"classes": {name: of_class(figures[name], delays[name]) for name in figures},
            "ln_rate": statistics.mean(log_rate(each["rate"]) for each in run.figures),
            **of_server(run.counted_samples())}


@dataclass(frozen=True)
class Comparison:
    """The default number of groups against the fixed one with the highest mean ln(rate)."""
    best: int
    ln: float  # by which share the default's mean ln(bit/s) is higher
    rate: float  # by which share its rate, the geometric mean over the viewers, is higher


def compare(results):
    """`results`: {groups.max: figures}, with the default and at least one fixed value."""
    ln_rates = {groups: figures["ln_rate"] for groups, figures in results.items()}
    default = ln_rates.pop(DEFAULT)
    best = max(ln_rates, key=ln_rates.get)
    return Comparison(best, default / ln_rates[best] - 1, math.exp(default - ln_rates[best]) - 1)


def worst_delay(figures):
    """(p95 in ms, name of the class) of the class that waits longest."""
    return max((of_class["p95"], name) for name, of_class in figures["classes"].items())

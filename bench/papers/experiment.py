"""What an experiment is."""

from dataclasses import dataclass, field
from typing import Callable


@dataclass(frozen=True)
class Run:
    """One measurement. `settings`: what measure() wants to know, of JSON's types."""

    key: str  # names it, unique in its experiment
    seconds: float  # about how long it takes
    seed: int
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """How much is to be measured."""

    quick: bool
    repeats: int
    seed: int  # of the first repeat; the others follow

    @property
    def seeds(self):
        return range(self.seed, self.seed + self.repeats)


@dataclass(frozen=True)
class Experiment:
    """`runs` lists what there is to measure; `measure` does one run, in a directory of its own, and
    returns its figures as JSON has them; "complaints" among them, a list of texts, says why they
    are not to be counted. `report` writes the page from {key: figures}, of those runs that count;
    some may be missing."""

    name: str
    title: str
    paper: str
    hypothesis: str
    method: str
    differences: tuple
    runs: Callable  # (Scope) -> [Run]
    measure: Callable  # (Run, directory) -> figures
    report: Callable  # ({key: figures}, Page) -> None
    testbeds: tuple = ("links",)  # of testbed.CHECKS
    at_once: int = 1  # runs beside one another
    repeats: int = 5
    quick_repeats: int = 1

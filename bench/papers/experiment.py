"""The parts of an experiment."""

from dataclasses import dataclass, field
from typing import Callable


@dataclass(frozen=True)
class Run:
    """One measurement. `settings`: parameters of measure(), in JSON's types."""

    key: str  # unique in its experiment
    seconds: float  # expected duration
    seed: int
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """The extent of a pass."""

    quick: bool
    repeats: int
    seed: int  # of the first repeat; the others follow

    @property
    def seeds(self):
        return range(self.seed, self.seed + self.repeats)


@dataclass(frozen=True)
class Experiment:
    """`runs` lists all measurements. `measure` does one run, in its own directory, and returns its
    figures in JSON's types; a list "complaints" among them has reasons not to count the run. `report`
    writes the page from {key: figures} of the runs that count, of which some may be missing."""

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
    at_once: int = 1  # concurrent runs
    repeats: int = 5
    quick_repeats: int = 1

"""The experiments, in the order in which they run."""

from lab.experiments import libra, slow_start

EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in (slow_start, libra)}

"""The experiments, in the order in which they run."""

from lab.experiments import libra, rate_picking, slow_start

EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in (slow_start, libra, rate_picking)}

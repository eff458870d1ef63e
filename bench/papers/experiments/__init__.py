"""The experiments, in the order in which they run."""

from bench.papers.experiments import cloud, itcp, libra, rate_picking, slow_start

EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT
               for module in (itcp, slow_start, libra, rate_picking, cloud)}

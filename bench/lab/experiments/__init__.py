"""The experiments, in the order in which they run."""

from lab.experiments import libra

EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in (libra,)}

"""All figures, in memory and in a file that is updated after every run. Runs in the file are not
measured again, and can be printed without measuring."""

import json
import math
import os
import time

from bench.policies.definition import definition_of


class Records:
    """`tables`: {(scenario's name, congestion control): {policy: [figures of each seed]}}. Loads the
    file at `path`, if it exists, and raises ValueError if it is of another kind; add() rewrites it.
    `every`: SSIM is computed for one in this many frames."""

    def __init__(self, path=None, every=None):
        self._path = path
        self._every = every
        self.tables = _read(path) if path and path.exists() else {}

    def has(self, scenario, seed, lane):
        """Whether there are figures of the same definition, of any build. Failed runs do not count."""
        return any(self._is_of(scenario, run) and "failed" not in run
                   for run in self._runs(scenario, seed, lane))

    def has_outdated(self, scenario, seed, lane):
        """Whether there are figures of another definition, which the next run of this seed replaces."""
        return any(not self._is_of(scenario, run) for run in self._runs(scenario, seed, lane))

    def add(self, scenario, seed, results):
        """Adds `results`, {lane: figures}, and replaces figures of the same seed."""
        for lane, figures in results.items():
            policies = self.tables.setdefault((scenario.name, lane.congestion_control), {})
            runs = [run for run in policies.get(lane.policy, []) if run["seed"] != seed]
            runs.append({"seed": seed, "definition": definition_of(scenario, self._every),
                         "measured": time.time(), **figures})
            policies[lane.policy] = sorted(runs, key=lambda run: run["seed"])
        self.save()

    def save(self):
        """Replaces the file atomically: an interrupted process leaves the old or the new file."""
        if not self._path:
            return
        text = json.dumps([{"scenario": name, "congestion_control": control,
                            "policies": _plain(policies)}
                           for (name, control), policies in self.tables.items()], indent=1)
        beside = self._path.with_name(self._path.name + ".new")
        beside.write_text(text)
        os.replace(beside, self._path)

    def builds(self):
        """The builds of symcast that were measured."""
        return {run.get("build") for policies in self.tables.values()
                for runs in policies.values() for run in runs}

    def newest(self, name, congestion_control):
        """({policy: [figures of each seed]} of the newest definition of a table, number of other
        figures)"""
        table = self.tables[name, congestion_control]
        newest = max((run for runs in table.values() for run in runs),
                     key=lambda run: run.get("measured", 0)).get("definition")
        kept = {policy: of_it for policy, runs in table.items()
                if (of_it := [run for run in runs if run.get("definition") == newest])}
        return kept, sum(map(len, table.values())) - sum(map(len, kept.values()))

    def _is_of(self, scenario, run):
        return run.get("definition") == definition_of(scenario, self._every)

    def _runs(self, scenario, seed, lane):
        table = self.tables.get((scenario.name, lane.congestion_control), {})
        return [run for run in table.get(lane.policy, []) if run["seed"] == seed]


def _read(path):
    try:
        return {(table["scenario"], table["congestion_control"]): _infinite(table["policies"])
                for table in json.loads(path.read_text())}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: not a file of bench/policies; choose another file") from error


def _plain(value):
    """Replaces infinity, which JSON does not have, by null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _infinite(value):
    """Replaces null by infinity."""
    if isinstance(value, dict):
        return {key: _infinite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_infinite(item) for item in value]
    return math.inf if value is None else value

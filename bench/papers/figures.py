"""Measurements, kept in a file, so that an interrupted pass can continue and a page can be written
again."""

import json
import os

OF_EACH = ("measured", "commit")  # conditions that each run has of its own


class Figures:
    """`runs`: {key: figures}, which include the run's "settings" and "conditions". `conditions` are
    those of the newest measurement. `claims`: claims of the page with their verdicts."""

    def __init__(self, path):
        self._path = path
        self.runs = {}
        self.conditions = {}
        self.claims = []
        if path.exists():
            content = json.loads(path.read_text())
            self.runs, self.conditions = content["runs"], content["conditions"]
            self.claims = content["claims"]

    def counted(self, runs):
        """{key: figures} of those of `runs` that were measured and count."""
        found = {run.key: self.runs.get(run.key) for run in runs}
        return {run.key: found[run.key] for run in runs
                if found[run.key] and not found[run.key].get("complaints")
                and found[run.key].get("settings") == run.settings}

    def add(self, run, figures):
        """Adds figures of a run that was measured under the present conditions."""
        of_run = {name: self.conditions[name] for name in OF_EACH if name in self.conditions}
        self.runs[run.key] = {"settings": run.settings, "conditions": of_run, **figures}
        self.save()

    def conditions_of(self, runs):
        """The newest conditions, with the values of all runs for those in OF_EACH."""
        counted = self.counted(runs).values()
        each = {name: ", ".join(sorted({run["conditions"][name] for run in counted
                                        if name in run["conditions"]}))
                for name in OF_EACH}
        return {**self.conditions, **{name: text for name, text in each.items() if text},
                "runs counted": f"{len(counted)} of {len(runs)}"}

    def save(self):
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(figures)}"
                           for key, figures in sorted(self.runs.items()))
        temporary.write_text(f'{{"conditions": {json.dumps(self.conditions)},\n'
                             f'"claims": {json.dumps(self.claims)},\n'
                             f'"runs": {{\n{lines}\n}}}}\n')
        os.replace(temporary, self._path)

"""What was measured, in a file, so that a run that was interrupted goes on and a page can be written
again."""

import json
import os


class Figures:
    """`runs`: {key: figures}; `conditions`: what it was measured on, the newest; `claims`: what the
    page says is confirmed."""

    def __init__(self, path):
        self._path = path
        self.runs = {}
        self.conditions = {}
        self.claims = []
        if path.exists():
            content = json.loads(path.read_text())
            self.runs, self.conditions = content["runs"], content["conditions"]
            self.claims = content["claims"]

    def counted(self):
        """Without those that are not to be counted."""
        return {key: figures for key, figures in self.runs.items()
                if not figures.get("complaints")}

    def add(self, key, figures):
        self.runs[key] = figures
        self.save()

    def save(self):
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(figures)}"
                           for key, figures in sorted(self.runs.items()))
        temporary.write_text(f'{{"conditions": {json.dumps(self.conditions)},\n'
                             f'"claims": {json.dumps(self.claims)},\n'
                             f'"runs": {{\n{lines}\n}}}}\n')
        os.replace(temporary, self._path)

"""Runs what the guest was booted for. The folder that it shares with the machine outside has
task.json, and gets results.json."""

import importlib
import json
import os
import pathlib
import sys

EXCHANGE = pathlib.Path(sys.argv[1])


def main():
    task = json.loads((EXCHANGE / "task.json").read_text())
    results = importlib.import_module(task["module"]).run(task["job"])
    unfinished = EXCHANGE / "results.new"
    unfinished.write_text(json.dumps(results))
    os.replace(unfinished, EXCHANGE / "results.json")


main()

"""Runs the task that the guest was booted for. The folder shared with the host has task.json, and
receives results.json."""

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

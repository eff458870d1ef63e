"""The unit tests of what the lab computes."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER / "steered"), str(FOLDER / "control")]

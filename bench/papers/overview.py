"""The page of all experiments: what is confirmed and what is not."""

from bench.papers.figures import Figures
from bench.papers.page import table


def write(directory, experiments):
    """Returns the page's path."""
    parts = ["# The papers' experiments, replayed",
             "Each page says what was asked, how it was measured, what differs from the paper, and "
             "what came of it. `make papers` measures what is lacking here, all of it where the "
             "JSON files are removed; `build/dev/bench/papers NAME` one experiment."]
    for experiment in experiments.values():
        claims = Figures(directory / f"{experiment.name}.json").claims
        if claims:
            parts += [f"## [{experiment.title}]({experiment.name}.md)",
                      table(("finding", "published", "here", "verdict"), claims)]
    path = directory / "README.md"
    path.write_text("\n\n".join(parts) + "\n")
    return path

"""The page of all experiments with their claims and verdicts."""

from bench.papers.figures import Figures
from bench.papers.page import summary, table


def write(directory, experiments):
    """Returns the page's path."""
    parts = ["# The papers' experiments, replayed",
             "Each page has the hypothesis, the method, differences from the paper, and the results. "
             "`make papers` measures runs that are missing here, and all of them if the JSON files "
             "are removed; `build/dev/bench/papers NAME` measures one experiment."]
    for experiment in experiments.values():
        claims = Figures(directory / f"{experiment.name}.json").claims
        if claims:
            parts += [f"## [{experiment.title}]({experiment.name}.md)",
                      summary(claims), table(("finding", "published", "here", "verdict"), claims)]
    path = directory / "README.md"
    path.write_text("\n\n".join(parts) + "\n")
    return path

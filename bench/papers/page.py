"""A page of results: Markdown, with plots as PNG files next to it."""

import contextlib

RULE = ("Where seeds are compared, a finding counts as confirmed, or as not, where it holds, or does "
        "not, in four of five of the seeds that tell; else it is undecided.")
CONFIRMED, REFUTED, UNDECIDED = "confirmed", "**not confirmed**", "undecided"
PLOT_SIZE = (8, 4)  # inches
PLOT_DPI = 90


class Page:
    """Text, tables and plots in the order in which they are added; the claims come first."""

    def __init__(self, experiment, directory):
        self._experiment = experiment
        self._directory = directory
        self._parts = []
        self.claims = []  # (claim, published, measured, verdict)

    def claim(self, what, published, measured, holds):
        """`holds`: None if the figures do not decide."""
        verdict = UNDECIDED if holds is None else CONFIRMED if holds else REFUTED
        self.claims.append((what, published, measured, verdict))

    def heading(self, text):
        self._parts.append(f"### {text}")

    def text(self, text):
        self._parts.append(text.strip())

    def table(self, head, rows):
        self._parts.append(table(head, rows))

    @contextlib.contextmanager
    def plot(self, name, caption, rows=1, columns=1, size=PLOT_SIZE, **options):
        """Yields matplotlib's axes to draw on: one, or an array of them."""
        import matplotlib  # here, so that measuring does not need it
        matplotlib.use("Agg")
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(rows, columns, figsize=size, constrained_layout=True,
                                       **options)
        yield axes
        file = f"{self._experiment.name}-{name}.png"
        self._directory.mkdir(parents=True, exist_ok=True)
        figure.savefig(self._directory / file, dpi=PLOT_DPI, metadata={"Software": None})
        pyplot.close(figure)
        self._parts.append(f"![{caption}]({file})\n\n*{caption}*")

    def save(self, conditions, not_counted):
        """Writes the page; `not_counted`: [(key, reason)]."""
        experiment = self._experiment
        parts = [f"# {experiment.title}", f"Paper: {experiment.paper}",
                 "## What is confirmed", summary(self.claims),
                 table(("finding", "published", "here", "verdict"), self.claims), RULE,
                 "## Hypothesis", experiment.hypothesis.strip(),
                 "## Method", experiment.method.strip(),
                 "## What differs from the paper",
                 "\n".join(f"- {difference}" for difference in experiment.differences),
                 "## Results", *self._parts,
                 "## Conditions", "\n".join(f"- {name}: {value}"
                                            for name, value in conditions.items())]
        if not_counted:
            parts += ["Not counted, for the machine did not keep up or the run failed:",
                      "\n".join(f"- {key}: {why}" for key, why in not_counted)]
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self._directory / f"{experiment.name}.md"
        path.write_text("\n\n".join(parts) + "\n")
        return path


def summary(claims):
    """The verdicts in one sentence."""
    verdicts = [verdict for *_, verdict in claims]
    counts = [f"{verdicts.count(verdict)} {word}" for verdict, word in
              ((REFUTED, "not confirmed"), (UNDECIDED, UNDECIDED)) if verdict in verdicts]
    others = f"; {' and '.join(counts)}" if counts else ""
    return f"{verdicts.count(CONFIRMED)} of {len(claims)} findings are confirmed{others}."


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)

"""The page: tables, plots and claims. Figures are medians over the seeds."""

import statistics

from bench.papers.cloud import published
from bench.papers.cloud.live import PLAYOUT
from bench.papers.cloud.places import CALM, CONGESTED, LOSSY, PLACES, PRIVATE
from bench.papers.cloud.player import KINDS
from bench.papers.guest import CONTROLS
from bench.papers.statistic import kendall, ranked, spread

HIGHEST, ADAPTIVE = KINDS
LIVE = "live"
OURS = "symcast, cubic"
PUBLIC = (*CALM, CONGESTED)
# Rank correlation of two orders of five that counts as agreement: one order in 24 has it by chance.
AGREES = 0.8
NEAR = 0.1  # share by which "about the same" may differ
WHOLE = 0.96  # share played by a player that waits only at start-up, also in quick runs
# (title, figure, scale, digits)
COLUMNS = (("KB/s", "kilobytes_per_second", 1, 0), ("SD", "deviation", 1, 0),
           ("MB", "megabytes", 1, 1), ("sent again, %", "again", 100, 1),
           ("played, %", "played", 100, 1), ("stalls", "stalls", 1, 0),
           ("stalled, s", "stalled", 1, 1), ("rate, kbit/s", "rate", 1, 0),
           ("window, segments", "window", 1, 0), ("its variation", "window_variation", 1, 2),
           ("its change", "window_change", 1, 3))


class Found:
    """Figures by kind of player, place and congestion control."""

    def __init__(self, figures):
        self._lanes = {}  # {(kind, place, control): [figures of each seed]}
        for _, run in sorted(figures.items()):
            for kind, place, control, lane in run["lanes"]:
                self._lanes.setdefault((kind, place, control), []).append(lane)

    def lanes(self, kind, place, control):
        return self._lanes.get((kind, place, control), [])

    def values(self, kind, place, control, figure):
        return [lane[figure] for lane in self.lanes(kind, place, control)
                if lane.get(figure) is not None]

    def each(self, kind, place, figure):
        """{control: median}; empty unless all were measured."""
        found = {control: self.values(kind, place, control, figure) for control in CONTROLS}
        if not all(found.values()):
            return {}
        return {control: statistics.median(values) for control, values in found.items()}

    def ours(self, place, figure):
        """Median of our stream's figure; None if not measured."""
        values = self.values(LIVE, place, OURS, figure)
        return statistics.median(values) if values else None


def report(figures, page):
    found = Found(figures)
    _private(found, page)
    _public(found, page)
    _ranking(found, page)
    _windows(found, page)
    _players(found, page)
    _ours(found, page)
    page.heading("All figures")
    page.text("Median of the seeds, least and most in brackets. *played*: of the time measured. "
              "*variation*: the congestion window's standard deviation over its mean, *change*: its "
              "mean change from one tenth of a second to the next, over its mean.")
    for place in PLACES:
        _all_of(found, place, page)


def _range(values, digits=0):
    least, most = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def _within(values, limits, margin=NEAR):
    return all(limits[0] * (1 - margin) <= value <= limits[1] * (1 + margin) for value in values)


def _private(found, page):
    clean, lossy = (found.each(HIGHEST, place, "kilobytes_per_second")
                    for place in (PRIVATE, LOSSY))
    if not clean or not lossy:
        return
    page.heading("Private cloud (the paper's figures 3 and 4)")
    deviations = [found.each(HIGHEST, place, "deviation") for place in (PRIVATE, LOSSY)]
    with page.plot("private", "Throughput and its standard deviation over the seconds, players that "
                   "always take the highest rate", columns=2, sharey=True) as axes:
        for axis, place in zip(axes, (PRIVATE, LOSSY)):
            _bars(found, (HIGHEST,), place, axis)
        axes[0].set_ylabel("KB/s")
    for place, name in ((PRIVATE, "clean"), (LOSSY, "5 % loss")):
        played = list(found.each(HIGHEST, place, "played").values())
        page.claim(f"Private cloud, {name}: all five play the whole video at the highest rate",
                   "yes", f"{_range([100 * share for share in played])} % played",
                   min(played) >= WHOLE)
    for place, name, kilobytes, deviation, limits in (
            (PRIVATE, "clean", clean, deviations[0],
             (published.PRIVATE_KILOBYTES, published.PRIVATE_DEVIATION)),
            (LOSSY, "5 % loss", lossy, deviations[1],
             (published.LOSSY_KILOBYTES, published.LOSSY_DEVIATION))):
        for what, measured, expected in (("throughput, KB/s", kilobytes, limits[0]),
                                         ("its SD, KB/s", deviation, limits[1])):
            page.claim(f"Private cloud, {name}: {what}", "{} to {}".format(*expected),
                       _range(measured.values()), _within(measured.values(), expected))
    gains = [lossy[control] / clean[control] for control in CONTROLS]
    page.claim("Throughput doubles under 5 % loss", "yes", f"{_range(gains, 2)} times",
               min(gains) >= 1.7)
    steadier = all(deviations[1][control] < deviations[0][control] for control in CONTROLS)
    page.claim("Its SD falls under 5 % loss", "from 550 to 770, to 350 to 370",
               f"from {_range(deviations[0].values())}, to {_range(deviations[1].values())}",
               steadier)
    page.text("A player in real time takes what its video has, 344 KB/s, in one burst for each "
              "segment of 4 s, whence the SD. Loss can make a segment come more slowly and some of "
              "it be sent again; it cannot make more of the same video. Where the paper's twice as "
              "much comes from, its player or its way to count, is not known.")


def _public(found, page):
    if not found.each(HIGHEST, CONGESTED, "played"):
        return
    page.heading("Public cloud (figures 5, 6 and 7)")
    with page.plot("throughput", "Throughput and its standard deviation over the seconds, players "
                   "that always take the highest rate; ours beside them",
                   columns=len(PUBLIC), sharey=True, size=(10, 4)) as axes:
        for axis, place in zip(axes, PUBLIC):
            _bars(found, (HIGHEST, LIVE), place, axis)
        axes[0].set_ylabel("KB/s")
    with page.plot("played", "Share of the time played, always the highest rate; ours beside "
                   "them", columns=len(PUBLIC), sharey=True, size=(10, 3.5)) as axes:
        for axis, place in zip(axes, PUBLIC):
            _bars(found, (HIGHEST, LIVE), place, axis, "played", None, 100)
            axis.set_ylim(0, 105)
        axes[0].set_ylabel("%")
    page.text("Where the path carries the highest rate a player takes what its video has, 141 KB/s; "
              "ADSL of 1.5 Mbit/s has room for 160. The paper's 120 say that its path did not carry "
              "that always.")
    calm = {place: found.each(HIGHEST, place, "kilobytes_per_second") for place in CALM}
    values = [value for each in calm.values() for value in each.values()]
    about = published.CALM_KILOBYTES
    page.claim("USWest, USEast, Japan: throughput, KB/s", f"about {about}", _range(values),
               _within(values, (about, about)))
    deviations = [value for place in CALM
                  for value in found.each(HIGHEST, place, "deviation").values()]
    about = published.CALM_DEVIATION
    page.claim("USWest, USEast, Japan: its SD, KB/s", f"about {about}", _range(deviations),
               _within(deviations, (about, about)))
    apart = max(max(each.values()) / min(each.values()) for each in calm.values())
    page.claim("There the congestion control hardly matters", "similar throughput",
               f"within {apart - 1:.1%}", apart <= 1 + NEAR)
    congested = found.each(HIGHEST, CONGESTED, "kilobytes_per_second")
    apart = max(congested.values()) / min(congested.values())
    least, most = published.CONGESTED_KILOBYTES
    page.claim("In EUWest it matters", f"{least} to {most} KB/s: {most / least - 1:.0%} apart",
               f"{_range(congested.values())} KB/s: {apart - 1:.0%} apart", apart > 1 + NEAR)
    played = found.each(HIGHEST, CONGESTED, "played")
    page.claim("EUWest: vegas plays over 20 % less of the video than cubic", "yes",
               f"vegas {played['vegas']:.0%}, cubic {played['cubic']:.0%}",
               played["cubic"] - played["vegas"] > published.VEGAS_PLAYED_LESS)


def _ranking(found, page):
    orders = {}
    for criterion, (figure, more_is_better) in published.MEASURED_AS.items():
        values = found.each(HIGHEST, CONGESTED, figure)
        if not values:
            return
        orders[criterion] = ranked(values, more_is_better)
    page.heading("The ranking in EUWest (table 2)")
    page.text("Players that always take the highest rate, best first. τ: Kendall's rank correlation "
              f"with the paper's order; {AGREES} or more is taken for agreement, which one order in "
              "24 has by chance.")
    rows = []
    for criterion, ours in orders.items():
        theirs = published.RANKING[criterion]
        tau = kendall(theirs, ours)
        rows.append((criterion, " > ".join(theirs), " > ".join(ours), f"{tau:+.1f}"))
        page.claim(f"EUWest, order by {criterion}", " > ".join(theirs),
                   f"{' > '.join(ours)} (τ {tau:+.1f})", tau >= AGREES)
    page.table(("", "published", "here", "τ"), rows)
    best = set(orders["share played"][:2])
    page.claim("EUWest: htcp and cubic play most", "yes", " and ".join(sorted(best)),
               best == {"htcp", "cubic"})
    page.claim("EUWest: vegas plays least", "yes", orders["share played"][-1],
               orders["share played"][-1] == "vegas")
    page.claim("EUWest: vegas has the smoothest window, htcp the least smooth", "yes",
               f"{orders['smoothness'][0]}, {orders['smoothness'][-1]}",
               (orders["smoothness"][0], orders["smoothness"][-1]) == ("vegas", "htcp"))


def _windows(found, page):
    curves = {control: [lane["curve"] for lane in found.lanes(HIGHEST, CONGESTED, control)]
              for control in CONTROLS}
    if not all(curves.values()):
        return
    page.heading("Congestion windows in EUWest (figure 9)")
    with page.plot("windows", "Congestion windows in EUWest, always the highest rate, first seed",
                   rows=len(CONTROLS), sharex=True, sharey=True, size=(8, 8)) as axes:
        for axis, control in zip(axes, CONTROLS):
            axis.plot(curves[control][0], linewidth=0.8)
            axis.set_ylabel(control)
        axes[-1].set_xlabel("s")
        axes[0].set_title("segments", fontsize=8, loc="left")


def _players(found, page):
    rows = []
    for place in PLACES:
        for control in CONTROLS:
            lanes = [found.each(kind, place, figure).get(control) for figure in
                     ("played", "stalled", "rate") for kind in (HIGHEST, ADAPTIVE)]
            if None not in lanes:
                rows.append((place, lanes))
    if not rows:
        return
    page.heading("A player that adapts beside the one that does not")
    page.text("Range over the five congestion controls: always the highest → adaptive.")
    page.table(("", "played, %", "stalled, s", "rate, kbit/s"), [
        (place, *(" → ".join(_range([scale * lanes[column + kind] for at, lanes in rows
                                    if at == place]) for kind in (0, 1))
                  for column, scale in ((0, 100), (2, 1), (4, 1))))
        for place in PLACES if any(at == place for at, _ in rows)])
    better = {place: [(lanes[0], lanes[1]) for at, lanes in rows if at == place]
              for place in (CONGESTED,)}[CONGESTED]
    if better:
        page.claim("EUWest: adapting plays more of the video than insisting on the highest rate",
                   "not in the paper", f"{_range([100 * before for before, _ in better])} % → "
                   f"{_range([100 * after for _, after in better])} %",
                   all(after > before for before, after in better))


def _ours(found, page):
    rows = []
    for place in PLACES:
        ours = [found.ours(place, figure)
                for figure in ("played", "rate", "stalls", "pictures", "late", "ssim")]
        cubic = [[found.each(kind, place, figure).get("cubic")
                  for figure in ("played", "rate", "stalls")] for kind in KINDS]
        if None in ours or any(None in figures for figures in cubic):
            continue
        rows.append((place, _beside(ours), f"{100 * ours[3]:.1f} %, {100 * ours[4]:.1f} %",
                     f"{ours[5]:.3f}", *map(_beside, cubic)))
        if place == CONGESTED:
            highest, adaptive = (played for played, *_ in cubic)
            page.claim("EUWest: our stream plays more of the time than cubic's players",
                       "not in the paper", f"{ours[0]:.0%}; always the highest {highest:.0%}, "
                       f"adaptive {adaptive:.0%}", ours[0] > max(highest, adaptive))
    if not rows:
        return
    page.heading("The same paths with our adaptive stream")
    page.text("symcast beside cubic's players, all over cubic: share of the time played, rate, and "
              "stalls (of symcast in a fourth of the time). A live stream is not played later: it "
              f"stalls where for more than a tenth of a second no picture was there {PLAYOUT:g} s "
              "after the camera saw it. *Pictures*: those that were there by then, and those that "
              "came later; the rest was never sent, because the stream skips frames to keep up. "
              "*SSIM*: of what was on the screen against the source's picture, told by the number in "
              "it.")
    page.table(("", "ours", "pictures there, late", "SSIM", *KINDS), rows)


def _beside(figures):
    played, rate, stalls, *_ = figures
    return f"{100 * played:.1f} %, {rate:.0f} kbit/s, stalls: {stalls:.0f}"


def _bars(found, kinds, place, axis, figure="kilobytes_per_second", error="deviation", scale=1):
    lanes = [(control, kind) for kind in kinds
             for control in ((OURS,) if kind == LIVE else CONTROLS)]
    for index, (control, kind) in enumerate(lanes):
        values = found.values(kind, place, control, figure)
        if values:
            deviation = found.values(kind, place, control, error) if error else None
            axis.bar(index, scale * statistics.median(values), 0.8,
                     color="tab:orange" if kind == LIVE else "tab:blue", capsize=3,
                     yerr=statistics.median(deviation) if deviation else None)
    axis.set_ylim(bottom=0)
    axis.set_xticks(range(len(lanes)), [control.partition(",")[0] for control, _ in lanes],
                    rotation=60, fontsize=8)
    axis.set_title(place)


def _all_of(found, place, page):
    rows = []
    for kind, controls in ((HIGHEST, CONTROLS), (ADAPTIVE, CONTROLS), (LIVE, (OURS,))):
        for control in controls:
            if found.lanes(kind, place, control):
                rows.append((control, "" if kind == LIVE else kind, *(
                    spread([scale * value for value in
                            found.values(kind, place, control, figure)], digits)
                    for _, figure, scale, digits in COLUMNS)))
    if rows:
        page.text(f"**{place}**")
        page.table(("", "player", *(title for title, *_ in COLUMNS)), rows)

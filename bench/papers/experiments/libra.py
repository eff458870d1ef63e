"""Paper 001: flows with long, medium and short round trips over a series of bottlenecks."""

import random
import statistics
import time

from bench.papers.experiment import Experiment, Run
from bench.papers.statistic import in_most, less, spread
from bench.papers.steered import PAYLOAD_SHARE, Flows
from bench.policies.health import Health
from bench.policies.measure import jain
from netlab.network import Netlab

# Bit/s of each bottleneck. The paper's 100 Mbit/s would work too, but Reno's long flows would need
# minutes to converge: congestion avoidance takes half a window of round trips.
RATE = 25e6
BOTTLENECKS = 4
PACKET = 1500  # bytes
# The paper's 83 and 1500 packets, in proportion to the rate.
QUEUES = {"one link's pipe": 83 * RATE / 100e6, "the longest pipe": 1500 * RATE / 100e6}
LONG, MEDIUM, SHORT = 180, 90, 30  # ms
CLASSES = {"long": LONG, "medium": MEDIUM, "short": SHORT}
CONTROLS = ("libra", "libra, measuring", "reno", "cubic", "bbr")
OTHERS = ("reno", "cubic", "bbr")
PIPE, LONGEST = QUEUES
OPTIMAL, COMPARABLE, LEFT = 0.95, 0.03, 0.9  # for the paper's words
START_APART = 0.3  # seconds between the flows' beginnings
SECONDS = {False: (30, 120), True: (6, 14)}  # warm-up, measurement; quick: True


def hints_of(control):
    if control == "libra":  # as in the paper, the capacity is configured
        return {"congestion_control": "sym_libra", "capacity": int(RATE)}
    if control == "libra, measuring":
        return {"congestion_control": "sym_libra"}
    return {"congestion_control": control}


def flows_of(settings):
    """[(class, shared links of its path, congestion control)]; if "beside" is set, every second flow of
    a class has that congestion control."""
    everywhere = list(range(BOTTLENECKS))
    paths = [("long", everywhere)] * 2 + [("medium", everywhere)] * 2
    paths += [("short", [link]) for link in range(settings["short"])]
    controls = settings["control"], settings.get("beside", settings["control"])
    return [(kind, through, controls[index % 2]) for index, (kind, through) in enumerate(paths)]


def runs(scope):
    warm_up, seconds = SECONDS[scope.quick]
    found = []

    def add(name, **settings):
        found.extend(Run(f"{name}, seed {seed}", warm_up + seconds + 4, seed,
                         {"warm_up": warm_up, "seconds": seconds, **settings})
                     for seed in scope.seeds)

    for control in CONTROLS[::2] if scope.quick else CONTROLS:
        for queue in QUEUES:
            add(f"{control}, {queue}", control=control, queue=queue, short=BOTTLENECKS)
    if not scope.quick:
        for queue in QUEUES:
            for short in range(BOTTLENECKS):
                add(f"libra, {queue}, {short} short", control="libra", queue=queue, short=short)
        for other in OTHERS:
            add(f"libra beside {other}", control=other, beside="libra", queue=PIPE,
                short=BOTTLENECKS)
    return found


def measure(run, _directory):
    settings = run.settings
    flows = flows_of(settings)
    queue = int(QUEUES[settings["queue"]] * PACKET)
    link = f"rate={int(RATE)} queue={queue}"
    with Netlab(clients=len(flows), seed=1000 * run.seed, shared=[link] * BOTTLENECKS,
                through=[through for _, through, _ in flows]) as lab, Health() as health:
        for client, (kind, _, _) in enumerate(flows):
            lab.set(client=client, both_delay=f"{CLASSES[kind] / 2}ms")
        senders = Flows(lab)
        started = {}
        for client in random.Random(run.seed).sample(range(len(flows)), len(flows)):
            started[client] = senders.connect(str(client), client)
            senders.ask(started[client], **hints_of(flows[client][2]))
            senders.receive(START_APART)
        senders.receive(settings["warm_up"])
        begin = time.monotonic()
        senders.receive(settings["seconds"])
        end = time.monotonic()
        health.finish(lab.counters())
        return {"complaints": health.complaints(), "cpu": health.cpu,
                "rates": [8 * (started[client].bytes_at(end) - started[client].bytes_at(begin))
                          / (end - begin) for client in range(len(flows))]}


def report(figures, page):
    found = _Found(figures)
    _fairness(found, page)
    _short_flows(found, page)
    _efficiency(found, page)
    _friendliness(found, page)


class _Found:
    """Figures by name of the run."""

    def __init__(self, figures):
        self._figures = figures

    def rates(self, name):
        """[rates of the flows], one list for each seed."""
        return [run["rates"] for key, run in sorted(self._figures.items())
                if key.startswith(f"{name}, seed ")]

    def each(self, name, value):
        return [value(rates) for rates in self.rates(name)]

    def median(self, name, value):
        """The median; None if not measured."""
        values = self.each(name, value)
        return statistics.median(values) if values else None

    def controls(self):
        return [control for control in CONTROLS if self.rates(f"{control}, {PIPE}")]


def _far(rates):
    """Jain's index of the flows with long and medium round trips."""
    return jain(rates[:4])


def efficiency(rates):
    """Used share of the four links' payload: flows over all links, and one flow on each."""
    far, short = rates[:4], rates[4:]
    return (sum(far) + sum(short) / BOTTLENECKS) / (RATE * PAYLOAD_SHARE)


def _values(found, value, page, digits=3):
    page.table(("", *QUEUES), [
        (control, *(spread(found.each(f"{control}, {queue}", value), digits) for queue in QUEUES))
        for control in found.controls()])


def _fairness(found, page):
    page.heading("Jain's index (the paper's figures 4 and 5)")
    page.text("Between the four flows of long and medium round trips; a queue of:")
    _values(found, _far, page)
    page.text("Between all eight flows:")
    _values(found, jain, page)
    if found.controls():
        _fairness_plot(found, page)
    for queue in QUEUES:
        for value, between in ((jain, "all flows"), (_far, "medium and long")):
            libra, reno = (found.each(f"{control}, {queue}", value)
                           for control in ("libra", "reno"))
            if libra and reno:
                page.claim(f"Libra above Reno in Jain's index, {between}; queue: {queue}", "yes",
                           f"{spread(libra, 3)}, Reno {spread(reno, 3)}",
                           in_most(less(reno, libra)))
        far = found.each(f"libra, {queue}", _far)
        if far:
            page.claim(f"Libra almost optimal between medium and long: {OPTIMAL} and more; queue: "
                       f"{queue}", "almost 1", spread(far, 3),
                       in_most([value >= OPTIMAL for value in far]))


def _fairness_plot(found, page):
    with page.plot("jain", "Jain's index, median over the seeds", columns=2, sharey=True) as axes:
        for axis, (title, value) in zip(axes, (("medium and long", _far), ("all flows", jain))):
            for offset, queue in enumerate(QUEUES):
                heights = [found.median(f"{control}, {queue}", value) or 0
                           for control in found.controls()]
                axis.bar([index + 0.4 * offset for index in range(len(heights))], heights, 0.4,
                         label=f"queue: {queue}")
            axis.set_xticks([index + 0.2 for index in range(len(found.controls()))],
                            [control.replace(", ", ",\n") for control in found.controls()],
                            fontsize=8)
            axis.set_title(title)
            axis.set_ylim(0, 1.05)
        axes[0].set_ylabel("Jain's index")
        axes[0].legend(loc="lower left")


def _short_flows(found, page):
    names = {queue: [f"libra, {queue}, {short} short" for short in range(BOTTLENECKS)]
             + [f"libra, {queue}"] for queue in QUEUES}
    if not found.rates(names[PIPE][0]):
        return
    page.heading("Libra's long and medium flows beside 0 to 4 short ones (figure 6)")
    page.text("Jain's index between all flows; a queue of:")
    page.table(("short flows", *QUEUES), [
        (short, *(spread(found.each(names[queue][short], jain), 3) for queue in QUEUES))
        for short in range(BOTTLENECKS + 1)])
    for queue in QUEUES:
        indices = [found.median(name, jain) for name in names[queue]]
        if None in indices:
            continue
        page.claim(f"The more short flows, the harder to be fair: less with 4 than with none; queue: "
                   f"{queue}", "yes", "0 to 4: " + ", ".join(f"{index:.3f}" for index in indices),
                   in_most(less(found.each(names[queue][-1], jain),
                                found.each(names[queue][0], jain))))


def _efficiency(found, page):
    page.heading("Efficiency (figure 7)")
    page.text("Share of the payload that the four links could carry; a queue of:")
    _values(found, efficiency, page)
    for queue in QUEUES:
        libra, reno = (found.each(f"{control}, {queue}", efficiency)
                       for control in ("libra", "reno"))
        if libra and reno:
            page.claim(f"Libra uses the links as Reno does, less {COMPARABLE:.0%} at most; queue: "
                       f"{queue}", "comparable", f"{spread(libra, 3)}, Reno {spread(reno, 3)}",
                       in_most([own > other - COMPARABLE for own, other in zip(libra, reno)]))


def _friendliness(found, page):
    if not any(found.rates(f"libra beside {other}") for other in OTHERS):
        return

    def first_half(rates):
        return sum(rates[::2])

    page.heading("Friendliness (figure 8)")
    page.text("Four of the flows, one long, one medium and two short, always have the congestion "
              "control named; Mbit/s of these four together, where the other four have the same and "
              f"where they have Libra. A queue of {PIPE}.")
    rows = []
    for other in OTHERS:
        alike = found.each(f"{other}, {PIPE}", first_half)
        beside = found.each(f"libra beside {other}", first_half)
        if not alike or not beside:
            continue
        rows.append((other, spread([rate / 1e6 for rate in alike]),
                     spread([rate / 1e6 for rate in beside])))
        left = [own / before for own, before in zip(beside, alike)]
        page.claim(f"Libra leaves to {other} what {other} would leave to it, {LEFT:.0%} at least",
                   "not significantly affected" if other == "reno" else "not in the paper",
                   spread(left), in_most([share >= LEFT for share in left]))
    page.table(("", "beside its like", "beside Libra"), rows)


EXPERIMENT = Experiment(
    name="libra",
    title="TCP Libra: flows of different round trips over a series of bottlenecks",
    paper="Marfia, Palazzi, Pau, Gerla, Sanadidi, Roccetti 2007, *Balancing video on demand flows "
          "over links with heterogeneous delays* (MobiMedia)",
    hypothesis="""
A TCP that opens its window by the square of its round trip gives flows of different round trips the
same rate, uses the links as well as Reno does, and takes nothing from Reno's flows.""",
    method=f"""
Four links of {RATE / 1e6:g} Mbit/s in a row. Two flows of {LONG} ms and two of {MEDIUM} ms pass all
of them; four flows of {SHORT} ms pass one each. Bulk senders in one network namespace, each
receiver in its own; our eBPF congestion control `sym_libra` (A = 1, B = 1, X = 2, Y = 2; C counts
in 250 kbit/s) and the kernel's reno, cubic and bbr. symcast itself does not run. Queues of one link's pipe and of the longest: the paper's 83 and 1500
packets in proportion to the rate. Libra is given the capacity, as in the paper; *measuring*, it finds
it by itself. Flows begin {START_APART} s apart, in an order by the seed; after {SECONDS[False][0]} s
{SECONDS[False][1]} s are counted. Medians over the seeds, least and most in brackets.""",
    differences=(
        "C counts in 250 kbit/s, where the paper's text says Mbit/s: on links like these Libra, whose "
        "growth is in proportion to it, would starve beside Reno otherwise (docs/decisions/0009, with "
        "figures for five units). Its effect on other flows depends on that unit",
        "*measuring*, what is measured counts as 10 Mbit/s at least (the same)",
        f"{RATE / 1e6:g} Mbit/s in place of 100, with queues in proportion: in congestion avoidance "
        "a flow needs half a window of round trips to arrive where it stays",
        f"{SECONDS[False][1]} s in place of 1000, 5 seeds in place of 30",
        "the kernel's TCP in place of NS-2: Reno here is Linux's, with SACK, RACK and PRR",
        "no randomized pacing by pairs (burstiness control): the kernel's pacing stands for it",
        "cubic and bbr are not in the paper; its figures give no numbers in the text, so what is "
        "published are the statements of its text"),
    runs=runs, measure=measure, report=report, at_once=3)

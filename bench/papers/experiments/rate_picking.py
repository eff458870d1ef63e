"""Paper 002: a client that picks its rate next to a competing flow, and the server's control loop."""

import concurrent.futures
import math
import socket
import statistics
import time

from bench.papers import picking_player, segment_server
from bench.papers.experiment import Experiment, Run
from bench.papers.picking_player import Picking
from bench.papers.statistic import in_most, less, spread
from bench.policies.bulk_flow import BulkFlow
from bench.policies.capacity import PAYLOAD, on_the_wire, oracle
from bench.policies.health import PRIORITY, Health
from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab, open_socket
from netlab.timeline import percentile, picture_delays, read_sessions
from netlab.viewer import Viewer

RATE = 5e6  # bit/s
ROUND_TRIP = 4  # ms
QUEUES = (120, 75, 20)  # kbit
PACKET = 1500  # bytes
FAIR = PAYLOAD * RATE / 2
RATES = (235e3, 375e3, 560e3, 750e3, 1050e3, 1400e3, 1750e3)
CONTINUOUS_MOST = 5e6
CONSERVATISM = 0.7  # 1750 kbit/s at 2.5 Mbit/s, as the paper has it
CLIENTS = {
    "discrete": Picking(CONSERVATISM, RATES),
    "continuous": Picking(CONSERVATISM, most=CONTINUOUS_MOST),
    "continuous, all it sees": Picking(1.0, most=CONTINUOUS_MOST)}
OURS = {"symcast, cubic": "cubic", "symcast, bbr": "bbr"}  # congestion control of its sockets
# With the shortest queue only, as each needs an encoder: symcast with the kernel's retransmission
# timer, and a live stream that does not adapt.
SHORTEST = min(QUEUES)
KERNELS_TIMER = "symcast, cubic, the kernel's timer"
STEADY = "a steady stream, cubic"
BULK = "a bulk flow"  # the rate of TCP itself in the same place
CONGESTION_CONTROL = "cubic"  # of all others
INITIAL_WINDOW = 4  # segments, of each new connection: paper 002, implementation details, 4
PORT = 8000
PATIENCE = 60  # seconds in which some data of a segment has to arrive
# Share of the fair rate below which there was no competition; next to BBR, with a queue of two packets,
# the competing flow has a tenth.
LEAST_BULK = 0.02
# Seconds alone, then with a competing flow. In the paper the buffer is full after the first part; in
# quick runs it is full from the beginning.
TIMES = {False: (400, 400, 0.0), True: (20, 60, 236.0)}
STALLED = 10  # seconds: server.stall_timeout, after which a viewer that reads nothing is closed
SPIRAL, SHARE = 0.6, 0.9  # limits for a spiral, and for a fair share
FITS = 1750e3  # bit/s: the highest rate within its fair share
SETTLING = 0.25  # share of the time with the competing flow that is not counted
PUBLISHED = {("discrete", 120): "0.56", ("discrete", 75): "1.05",
             ("discrete", 20): "reasonably fair", ("continuous, all it sees", 20): "equal"}
NICE = ("nice", "-n", str(PRIORITY))
CONFIG = """
[encoder]
preset = "ultrafast"
crf = 4
"""
STREAM = """
[[stream]]
name = "{name}"
source = {{ uri = "test:?size=480x270&content=motion" }}
rate = {{ min = "235k", max = "{most:.0f}" }}
control = {{ policy = "{policy}" }}
tcp = {{ congestion_control = "{control}", rto_min = "{rto_min}" }}
"""
RTO_MIN = "40ms"  # symcast's own
WATCHED = (*OURS, KERNELS_TIMER, STEADY)
STREAMS = {KERNELS_TIMER: "timer", STEADY: "steady"}


def runs(scope):
    alone, beside, prefilled = TIMES[scope.quick]
    settings = {"alone": alone, "beside": beside, "prefilled": prefilled, "rto_min": RTO_MIN}
    return [Run(f"seed {seed}", alone + beside + 10, seed, settings) for seed in scope.seeds]


def lanes():
    """[(name, queue)], each with its own link."""
    return [(name, queue) for name in (*CLIENTS, *OURS, BULK) for queue in QUEUES] + [
        (name, SHORTEST) for name in (KERNELS_TIMER, STEADY)]


def _config():
    symcast = {"policy": "symbiosis", "most": 5e6, "rto_min": RTO_MIN}
    streams = [{"name": f"{control}{queue}", "control": control, **symcast}
               for control in OURS.values() for queue in QUEUES]
    plain = {"control": CONGESTION_CONTROL, "rto_min": "0s"}
    streams += [{"name": STREAMS[KERNELS_TIMER], **symcast, **plain},
                {"name": STREAMS[STEADY], "policy": "off",
                 "most": oracle(FAIR, CONTINUOUS_MOST), **plain}]
    return CONFIG + "".join(STREAM.format(**stream) for stream in streams)


def measure(run, directory):
    with Netlab(clients=len(lanes()), seed=1000 * run.seed, rate=int(RATE),
                delay_ms=ROUND_TRIP / 2) as lab:
        for client, (_, queue) in enumerate(lanes()):
            # The queue setting includes the packet being sent.
            lab.set(client=client, down_queue=int(1e3 * queue / 8) + PACKET)
        _set_initial_window(lab)
        lab.run_server(["/usr/bin/python3", "-m", segment_server.__name__, str(PORT),
                        CONGESTION_CONTROL])
        with Daemon("--trace", str(directory / "trace"), directory=directory, lab=lab,
                    config=_config(), wrapper=NICE) as daemon:
            session = _Session(run, lab, daemon, directory)
    return session.figures()


def _set_initial_window(lab):
    """Sets it for the segment clients' new connections; symcast's keep the kernel's."""
    for client, (name, _) in enumerate(lanes()):
        if name not in CLIENTS:
            continue
        change = ["ip", "route", "change", f"10.77.{client}.0/24", "dev", f"link{client}", "proto",
                  "kernel", "scope", "link", "src", lab.clients[client].server_ip, "initcwnd",
                  str(INITIAL_WINDOW)]
        if lab.run_server(change).wait() != 0:
            raise RuntimeError(f"refused: {' '.join(change)}")


class _Session:
    """Runs all lanes at the same time."""

    def __init__(self, run, lab, daemon, directory):
        self._lab, self._daemon, self._directory = lab, daemon, directory
        self._settings = run.settings
        wait_until(self._server_is_up, 10, "the segment server listens")
        with Health() as self._health:
            self._play()

    def _send_bulk(self, client):
        return BulkFlow(self._lab, client, CONGESTION_CONTROL)

    def _server_is_up(self):
        with open_socket(self._lab.server_netns) as probe:
            return probe.connect_ex(("127.0.0.1", PORT)) == 0

    def _play(self):
        self.begin = time.monotonic()
        self.competition = self.begin + self._settings["alone"]
        self.end = self.competition + self._settings["beside"]
        players = concurrent.futures.ThreadPoolExecutor(len(lanes()))
        playing = {client: players.submit(self._fetch, client)
                   for client, (name, _) in enumerate(lanes()) if name in CLIENTS}
        self._viewers = {client: self._watch(client) for client, (name, _) in enumerate(lanes())
                         if name in WATCHED}
        self._own_bulk = {client: self._send_bulk(client)
                          for client, (name, _) in enumerate(lanes()) if name == BULK}
        time.sleep(self.competition - time.monotonic())
        self._bulk = [self._send_bulk(client) for client in range(len(lanes()))]
        time.sleep(self.end - time.monotonic())
        for flow in (*self._bulk, *self._own_bulk.values()):
            flow.stop()
        self._pictures = {client: viewer.pictures() for client, viewer in self._viewers.items()}
        self._health.finish(self._lab.counters(), self._daemon.metrics())
        for viewer in self._viewers.values():
            viewer.finish()
        self._fetches = {client: fetches.result() for client, fetches in playing.items()}
        players.shutdown()

    def _fetch(self, client):
        picking = CLIENTS[lanes()[client][0]]
        target = self._lab.clients[client]

        def fetch(size):  # a connection each, as in the paper
            with open_socket(target.netns) as connection:
                connection.settimeout(PATIENCE)
                connection.connect((target.server_ip, PORT))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(f"GET /{size} HTTP/1.1\r\n\r\n".encode())
                left = size
                while left > 0:
                    received = connection.recv(1 << 16)
                    if not received:
                        raise ConnectionError("the segment server has closed the connection")
                    left -= len(received)

        return picking_player.play(picking, fetch, time.monotonic, time.sleep, self.end,
                                   self._settings["prefilled"])

    def _watch(self, client):
        name, queue = lanes()[client]
        stream = STREAMS.get(name) or f"{OURS[name]}{queue}"
        url = self._daemon.url(stream, ip=self._lab.clients[client].server_ip)
        return Viewer(url, lab=self._lab, client=client, directory=self._directory,
                      name=f"viewer-{client}", wrapper=NICE)

    def figures(self):
        sessions = read_sessions(self._directory / "trace")
        found = {}
        for client, (name, queue) in enumerate(lanes()):
            if name in WATCHED:
                session = sessions[self._lab.clients[client].address]
                figures = self._of_viewer(self._pictures[client], session)
            elif name in CLIENTS:
                figures = self._of_client(self._fetches[client])
            else:
                figures = {"throughput": self._of_bulk(self._own_bulk[client])}
            found[f"{name}, {queue} kbit"] = {**figures, "bulk": self._of_bulk(self._bulk[client])}
        absent = [f"{name}: no competing flow" for name, lane in found.items()
                  if lane["bulk"] < LEAST_BULK * FAIR]
        return {"complaints": absent + self._health.complaints(), "cpu": self._health.cpu,
                "lanes": found}

    @property
    def _counted(self):
        return self.competition + SETTLING * (self.end - self.competition), self.end

    def _of_client(self, fetches):
        begin, end = self._counted
        counted = [fetch for fetch in fetches if begin <= fetch.at < end]
        rates = [fetch.rate for fetch in counted]
        return {"rate": statistics.mean(rates), "least": min(rates),
                "seen": statistics.mean(fetch.throughput for fetch in counted),
                "throughput": sum(fetch.rate for fetch in counted) * picking_player.SEGMENT
                / (end - begin),
                "series": [(round(fetch.at - self.begin, 1), round(fetch.rate / 1e6, 3),
                            round(fetch.throughput / 1e6, 3)) for fetch in fetches]}

    def _of_viewer(self, pictures, session):
        begin, end = self._counted
        video = self._rate(pictures, begin, end)
        delays = [delay for captured, delay in picture_delays(pictures, session)
                  if begin <= captured < end]
        series = [(at, round(self._rate(pictures, self.begin + at, self.begin + at + 4) / 1e6, 3))
                  for at in range(0, int(self.end - self.begin) - 3, 4)]
        return {"rate": video, "throughput": on_the_wire(video),
                "least": 1e6 * min(rate for at, rate in series if self.begin + at >= begin),
                "p95": 1000 * percentile(delays or [math.inf], 95),
                "series": [(at, rate, rate) for at, rate in series]}

    @staticmethod
    def _rate(pictures, begin, end):
        return 8 * sum(picture["bytes"] for picture in pictures
                       if begin <= picture["arrival_ns"] / 1e9 < end) / (end - begin)

    def _of_bulk(self, flow):
        begin, end = self._counted
        return sum(bits for at, bits in flow.received if begin <= at < end) / (end - begin)


SERIES_SEED = 1


def report(figures, page):
    found = _Found(figures)
    if not found.seeds:
        return
    page.heading("Beside the competing flow")
    page.text("Mbit/s after the first quarter of the time beside it; medians over the seeds, least "
              f"and most in brackets. The link carries {2 * FAIR / 1e6:.2f} Mbit/s of payload. "
              "*picked*: the mean rate of the segments asked for (symcast: the video's); *lowest*: "
              "the lowest (symcast: of 4 s); *seen*: the throughput while a segment comes; *share*: "
              f"all that it was sent (symcast: its frames, with container and audio), of the fair "
              f"{FAIR / 1e6:.2f} Mbit/s; *flow*: the competing one.")
    for queue in QUEUES:
        _table(found, queue, page)
    _alone(figures, page)
    _claims(found, page)
    _plots(figures, page)


def _alone(figures, page):
    """Throughput of a transfer without competition."""
    seen = {queue: [statistics.median(throughput for at, _, throughput in
                                      run["lanes"][f"continuous, all it sees, {queue} kbit"]["series"]
                                      if at < run["settings"]["alone"])
                    for run in figures.values()] for queue in QUEUES}
    page.text("Alone on the link, before the competing flow comes, a segment of the client that asks "
              "for all it sees comes at "
              + ", ".join(f"{spread(values)} ({queue} kbit)" for queue, values in seen.items())
              + f" Mbit/s, of {2 * FAIR / 1e6:.2f}: over CUBIC a queue of two packets lets nobody use "
              "the link, who does not always send. That the paper's client had its fair share with "
              "20 kbit suggests that there was room for more on its way.")


class _Found:
    def __init__(self, figures):
        self.seeds = [figures[key]["lanes"] for key in sorted(figures)]

    def lanes(self, name, queue):
        key = f"{name}, {queue} kbit"
        return [seed[key] for seed in self.seeds if key in seed]

    def values(self, name, queue, what, scale=1e6):
        return [lane[what] / scale for lane in self.lanes(name, queue) if what in lane]

    def median(self, name, queue, what, scale=1e6):
        return statistics.median(self.values(name, queue, what, scale))


def _table(found, queue, page):
    page.text(f"Queue of {queue} kbit:")
    rows = []
    for name in (*CLIENTS, *OURS, KERNELS_TIMER, BULK, STEADY):
        if not found.values(name, queue, "bulk"):
            continue
        published = PUBLISHED.get((name, queue), "")
        share = [100 * value for value in found.values(name, queue, "throughput", FAIR)]
        rows.append((name, published, *(spread(found.values(name, queue, what))
                                        for what in ("rate", "least", "seen", "throughput")),
                     spread(share, 0) + " %", spread(found.values(name, queue, "bulk"))))
    page.table(("", "published", "picked", "lowest", "seen", "sent", "share", "flow"), rows)
    for name in WATCHED:
        left = [early for early in map(_left, found.lanes(name, queue)) if early]
        if left:
            page.text(f"In {len(left)} of {len(found.seeds)} seeds the server gave up the viewer of "
                      f"*{name}*, who had not been able to take anything for {STALLED} s "
                      f"(`server.stall_timeout`), {spread(left, 0)} s before the end.")


def _left(lane):
    """Seconds before the end at which a viewer's frames stop; 0 if they do not."""
    series = lane["series"]
    last = max((at for at, rate, _ in series if rate > 0), default=0)
    quiet = series[-1][0] - last
    return quiet if quiet > STALLED else 0


def _claims(found, page):
    rates = {queue: found.values("discrete", queue, "rate") for queue in QUEUES}
    lowest = {queue: found.values("discrete", queue, "least") for queue in QUEUES}
    page.claim(f"Beside a flow the client's rate spirals down, to less than {SPIRAL:g} of the "
               f"{FITS / 1000:.0f} kbit/s that would fit; 120 kbit",
               "its worst: 560 kbit/s", f"on average {_kbit(rates[120])}, its worst "
               f"{_kbit(lowest[120])}", in_most([1e6 * rate < SPIRAL * FITS for rate in rates[120]]))
    page.claim("A shorter queue helps it: 120, 75, 20 kbit", "its worst: 560, 1050 kbit/s, fair",
               "on average " + "; ".join(_kbit(rates[queue]) for queue in QUEUES) + ", its worst "
               + "; ".join(_kbit(lowest[queue]) for queue in QUEUES),
               in_most([long < middle < short for long, middle, short in
                        zip(rates[120], rates[75], rates[20])]))
    continuous = found.values("continuous", 120, "rate")
    page.claim("Continuous rates help it; 120 kbit", "improvement",
               f"{_kbit(continuous)} in place of {_kbit(rates[120])}",
               in_most(less(rates[120], continuous)))
    everything = found.values("continuous, all it sees", 20, "throughput", FAIR)
    page.claim(f"Asking for all it sees it gets {SHARE:.0%} of its fair share with 20 kbit",
               "equal shares", _percent(everything),
               in_most([share >= SHARE for share in everything]))
    for name in OURS:
        for queue in QUEUES:
            shares = found.values(name, queue, "throughput", FAIR)
            other = found.values(name, queue, "bulk", FAIR)
            page.claim(f"The server's loop gets {SHARE:.0%} of its fair share and more; {name}, "
                       f"{queue} kbit", "not in the paper",
                       f"{_percent(shares)}, the flow beside it {_percent(other)}, "
                       f"{_late(found, name, queue)}; {_others(found, name, queue)}",
                       in_most([share >= SHARE for share in shares]))
        bulk = found.values(BULK, SHORTEST, "throughput", FAIR)
        of_bulk = [own / its for own, its in
                   zip(found.values(name, SHORTEST, "throughput", FAIR), bulk)]
        page.claim(f"It gets {SHARE:.0%} of what a bulk flow has in its place and more; {name}, "
                   f"{SHORTEST} kbit", "not in the paper",
                   f"{_percent(of_bulk)} of {_percent(bulk)}",
                   in_most([share >= SHARE for share in of_bulk]))


def _kbit(megabits):
    return spread([1000 * rate for rate in megabits], 0) + " kbit/s"


def _percent(shares):
    return spread([100 * share for share in shares], 0) + " %"


def _late(found, name, queue):
    return f"p95 of a picture's delay {found.median(name, queue, 'p95', 1):.0f} ms"


def _others(found, ours, queue):
    """Rates of other flows over CUBIC on the same path."""
    text = f"a bulk flow in its place: {found.median(BULK, queue, 'throughput', FAIR):.0%}"
    if queue != SHORTEST or OURS[ours] != CONGESTION_CONTROL:
        return text
    return text + "".join(
        f"; {name}: {found.median(name, queue, 'throughput', FAIR):.0%}, {_late(found, name, queue)}"
        for name in (KERNELS_TIMER, STEADY))


def _plots(figures, page):
    series = figures.get(f"seed {SERIES_SEED}")
    if not series:
        return
    competition = series["settings"]["alone"]
    page.heading(f"Rates over time, seed {SERIES_SEED}")
    drawn = (*CLIENTS, *OURS)
    with page.plot("rates", "As the paper's figures 2 to 5: the picked rates; the competing flow comes "
                   "at the dotted line; dashed: the fair share", rows=2, columns=3,
                   size=(12, 6.5), sharex=True, sharey=True) as axes:
        axes.flat[-1].set_axis_off()
        for axis, name in zip(axes.flat, drawn):
            for queue in QUEUES:
                times, rates, _ = zip(*series["lanes"][f"{name}, {queue} kbit"]["series"])
                axis.plot(times, rates, drawstyle="steps-post", linewidth=1,
                          label=f"queue {queue} kbit")
            axis.axhline(FAIR / 1e6, linestyle="--", color="grey", linewidth=0.8)
            axis.axvline(competition, linestyle=":", color="grey")
            axis.set_title(name, fontsize=10)
            axis.set_ylim(0, 5)
        axes[0][0].legend(fontsize=8)
        for axis in axes[:, 0]:
            axis.set_ylabel("Mbit/s")
        for axis in axes[1]:
            axis.set_xlabel("seconds")
    with page.plot("spiral", "The discrete client, 120 kbit: its picks and its measurements (the "
                   "paper's figure 2)") as axis:
        times, rates, seen = zip(*series["lanes"]["discrete, 120 kbit"]["series"])
        axis.plot(times, seen, linewidth=0.8, label="throughput of the segment")
        axis.plot(times, rates, drawstyle="steps-post", label="rate picked")
        axis.axhline(FAIR / 1e6, linestyle="--", color="grey", linewidth=0.8)
        axis.axvline(competition, linestyle=":", color="grey")
        axis.set_ylim(0, 5)
        axis.set_xlabel("seconds")
        axis.set_ylabel("Mbit/s")
        axis.legend(fontsize=8)


EXPERIMENT = Experiment(
    name="rate-picking",
    title="Picking a rate beside a competing flow: the client's way and the server's",
    paper="Kotaru 2014, *CS244 '14: Confused, timid, and unstable: picking a video streaming rate is "
          "hard*, on Huang, Handigol, Heller, McKeown, Johari 2012",
    hypothesis="""
A client that fetches segments when its buffer has room, and picks each one's rate by what the last
ones took, spirals down beside a bulk flow: short transfers see less than their share, so it asks for
less, and sees less still. A server that hears its socket does not: it neither pauses nor guesses.""",
    method=f"""
A link of {RATE / 1e6:g} Mbit/s and a round trip of {ROUND_TRIP} ms, with a queue of
{', '.join(map(str, QUEUES))} kbit beside the packet being sent. The client holds
{picking_player.BUFFER:g} s of media, asks for {picking_player.SEGMENT:g} s over a connection of its
own when they fit (initial window {INITIAL_WINDOW}), and picks by the mean throughput of its last
{picking_player.FETCHES} fetches: *discrete*, the highest of {len(RATES)} rates (235 to 1750 kbit/s)
that is no more than {CONSERVATISM:g} of it; *continuous*, {CONSERVATISM:g} of it; *all it sees*, as
much. After {TIMES[False][0]} s a CUBIC bulk flow comes for {TIMES[False][1]} s, from the same server
to the same client. On links that are alike: symcast with the policy `symbiosis`, a live stream of
480x270 and at most 5 Mbit/s, its sockets on CUBIC and on BBR; another bulk flow in its place. With
the shortest queue two more, whose retransmission timer runs 200 ms beyond the round trip at least, as
the kernel has it, not {RTO_MIN}: symcast, and a *steady* stream that does not adapt, of a rate that its
fair share carries.
All links at once in one run, a run for each repeat: nothing on these links
is left to chance but the timing of all who share this machine.""",
    differences=(
        "Huang's figure 9 (what throughput leads to which rate) is not in the text: "
        f"{CONSERVATISM:g} of the mean throughput, by which 2.5 Mbit/s give 1750 kbit/s as the paper "
        "says",
        "continuous rates may rise to 5 Mbit/s, the discrete ones to 1750 kbit/s as in the paper",
        "the link emulator in place of Mininet; the queue counts bytes, its last packet being sent "
        "not among them",
        "symcast is live: it has no 240 s to fill, and what it sends is watched at once"),
    runs=runs, measure=measure, report=report, testbeds=("links", "player"), repeats=3)

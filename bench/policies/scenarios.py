"""The scenarios: how a viewer's path behaves. The command line selects them by name.

A path is a downlink with a queue in front of it, and a delay each way; times are seconds from the
beginning. The seed shifts each step by up to one second, so that it falls anywhere between frames and
keyframes."""

import random
from dataclasses import dataclass, field, replace

from bench.policies.capacity import Capacity, Change
from bench.policies.mobile_trace import FAST, LTE, SCANNING, mobile_trace

MBIT = 1e6
CEILING = 6 * MBIT  # rate.max
WARM_UP = 3  # seconds that are not counted: joining, and the first climb

# Capacity, Mbit/s: x0.2, x3, x0.2, x8.3, x0.2, x5
STEPS = ((0, 10), (10, 2), (20, 6), (30, 1.2), (40, 10), (50, 2), (60, 10))
SHORT_STEPS = ((0, 10), (10, 2), (20, 10))


def bytes_of(milliseconds, rate):
    """Bytes of a queue that holds `milliseconds` of a link's `rate` in Mbit/s."""
    return int(milliseconds / 1000 * rate * MBIT / 8)


@dataclass(frozen=True)
class Competitor:
    congestion_control: str
    start: float
    stop: float
    flows: int = 1


@dataclass(frozen=True)
class Scenario:
    name: str
    what: str
    seconds: float
    rtt_ms: float
    queue: int  # bytes
    rates: tuple = ((0, 10),)  # (seconds, Mbit/s); 0 means dark
    radio: object = None  # in place of `rates`: a mobile_trace.Radio
    down: dict = field(default_factory=dict)  # more settings of the downlink, as in link_emulator
    up: str = ""  # settings of the uplink, as in link_emulator
    competitor: Competitor = None
    viewers: int = 1  # behind one link
    content: str = "motion"
    from_second: float = WARM_UP  # figures count from here
    quick: bool = False  # whether --quick runs it
    only_named: bool = False  # whether it runs only if it is named

    @property
    def shared(self):
        """Whether several flows share the link."""
        return self.viewers > 1 or self.competitor is not None

    def capacity(self, seed):
        if self.radio:
            changes = [Change(at, rate) for at, rate in
                       mobile_trace(self.radio, self.seconds, seed)]
        else:
            changes = list(self._shifted(random.Random(seed)))
        return Capacity(changes, self._share)

    def _shifted(self, chance):
        """Shifts all steps but the first; a dark time keeps its length."""
        shift, before = 0.0, 0
        for at, rate in self.rates:
            if before:
                shift = chance.random()
            yield Change(at + shift, rate * MBIT)
            before = rate

    def _share(self, at):
        competing = self.competitor and self.competitor.start <= at < self.competitor.stop
        return 1 / (self.viewers + (self.competitor.flows if competing else 0))


def _steps():
    for rtt in (10, 40, 100, 200):
        for depth, queue_ms in (("shallow", 20), ("deep", 300)):
            yield Scenario(f"steps-{depth}-{rtt}",
                           f"10-2-6-1.2-10-2-10 Mbit/s, queue {queue_ms} ms at 10 Mbit/s, "
                           f"RTT {rtt} ms",
                           seconds=70, rtt_ms=rtt, queue=bytes_of(queue_ms, 10), rates=STEPS,
                           quick=rtt == 40)
    yield Scenario("steps-bloated-40", "the same, queue 1 s at 10 Mbit/s, RTT 40 ms", seconds=70,
                   rtt_ms=40, queue=bytes_of(1000, 10), rates=STEPS)


def _losses():
    lossy = Scenario("", "", seconds=30, rtt_ms=80, queue=bytes_of(100, 10))
    for percent in (0.5, 2):
        yield replace(lossy, name=f"loss-{percent:g}",
                      what=f"10 Mbit/s, {percent:g} % random loss, RTT 80 ms",
                      down={"loss": percent / 100}, quick=percent == 0.5)
    # Gilbert: lost share = enter / (enter + leave); bursts of four packets, 5 ms of the link. One
    # burst in a hundred is of more than 16 packets, 20 ms of the link, and ends after that time.
    yield replace(lossy, name="loss-bursts",
                  what="10 Mbit/s, 2 % of packets lost in bursts of 4, RTT 80 ms",
                  down={"burst_enter": 0.0051, "burst_leave": 0.25, "burst_time": "20ms"})


def _competitors():
    for other in ("cubic", "bbr"):
        yield Scenario(f"beside-{other}",
                       f"8 Mbit/s, queue 100 ms, RTT 40 ms, with a {other} bulk flow",
                       seconds=45, rtt_ms=40, queue=bytes_of(100, 8), rates=((0, 8),),
                       competitor=Competitor(other, 5, 45), from_second=10,
                       quick=other == "cubic")


def _fairness():
    for flows, other in ((1, "cubic"), (1, "bbr"), (4, "cubic")):
        for rate in (3, 8, 20):
            for queue_ms in (50, 100, 300, 1000):
                yield Scenario(f"fair-{flows}-{other}-{rate}-{queue_ms}",
                               f"{rate} Mbit/s, queue {queue_ms} ms, RTT 40 ms, with {flows} {other} "
                               f"bulk {'flow' if flows == 1 else 'flows'}",
                               seconds=45, rtt_ms=40, queue=bytes_of(queue_ms, rate),
                               rates=((0, rate),), competitor=Competitor(other, 5, 45, flows),
                               from_second=10, only_named=True)


def _shared():
    for viewers in (2, 4):
        yield Scenario(f"viewers-{viewers}",
                       f"{viewers} viewers behind one link of 8 Mbit/s, queue 100 ms, RTT 40 ms",
                       seconds=45, rtt_ms=40, queue=bytes_of(100, 8), rates=((0, 8),),
                       viewers=viewers, from_second=15)


def _mobile():
    yield Scenario("lte", "LTE-like trace, queue 400 ms at 10 Mbit/s, RTT 60 ms", seconds=60,
                   rtt_ms=60, queue=bytes_of(400, 10), radio=LTE)
    yield Scenario("fast-mobile", "5G- or Wi-Fi-like trace, queue 100 ms at 20 Mbit/s, RTT 30 ms",
                   seconds=60, rtt_ms=30, queue=bytes_of(100, 20), radio=FAST)
    yield Scenario("scanning", "8 Mbit/s, held for 0.1 to 0.2 s every other second, queue 300 ms at "
                   "10 Mbit/s, RTT 40 ms", seconds=30, rtt_ms=40, queue=bytes_of(300, 10),
                   radio=SCANNING)


def _others():
    middle = Scenario("", "", seconds=30, rtt_ms=40, queue=bytes_of(100, 8), rates=((0, 8),))
    yield replace(middle, name="outage", what="8 Mbit/s, RTT 40 ms, dark for 1 s",
                  rates=((0, 8), (15, 0), (16, 8)), quick=True)
    yield replace(middle, name="outage-5", what="8 Mbit/s, RTT 40 ms, dark for 5 s",
                  rates=((0, 8), (10, 0), (15, 8)))
    yield replace(middle, name="token-bucket",
                  what="bucket of 32 kB filled with 3 Mbit/s, emptied at 100 Mbit/s, RTT 40 ms",
                  queue=bytes_of(300, 10), rates=((0, 3),),
                  down={"bucket": "32k", "peak": int(100 * MBIT)})
    yield replace(middle, name="codel", what="10-2-10 Mbit/s, CoDel, RTT 40 ms",
                  queue=bytes_of(1000, 10), rates=SHORT_STEPS, down={"codel": "on"})
    yield replace(middle, name="ack-aggregation",
                  what="10-2-10 Mbit/s, queue 100 ms, RTT 40 ms, ACKs once per 10 ms",
                  queue=bytes_of(100, 10), rates=SHORT_STEPS, up="aggregate=10ms")
    yield replace(middle, name="bunched-acks",
                  what="40 Mbit/s, queue 100 ms, RTT 6 ms, ACKs once per 36 ms", rtt_ms=6,
                  queue=bytes_of(100, 40), rates=((0, 40),), up="aggregate=36ms")
    yield replace(middle, name="static", what="still content; 10-1.2-10 Mbit/s, RTT 40 ms",
                  queue=bytes_of(300, 10), rates=((0, 10), (10, 1.2), (20, 10)), content="static")


SCENARIOS = [*_steps(), *_mobile(), *_losses(), *_competitors(), *_fairness(), *_others(),
             *_shared()]

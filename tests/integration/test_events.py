"""Congestion events against the kernel's own counters, on links that lose packets and carry nothing for a
while. Two servers run at once, each with its own eBPF programs, which must not report the other's viewers.
bench/events measures how fast the events are reported, and whether they match one by one."""

import concurrent.futures
import itertools

import pytest

from netlab.daemon import wait_until
from netlab.event_run import EventRun
from netlab.network import Netlab
from netlab.timeline import decisions_and_causes

SOURCES = ("tracepoint", "sockops")
KINDS = ("rexmt", "dupack")
LOSS = 0.02
PATIENCE = 60  # seconds

# Linux skips a tracing program on a processor that is already running it (bpf_prog::active), and one
# machine's kernel also skips it where a softirq has interrupted init (4 of 1440 events on a busy machine;
# ftrace sees them, a second program misses them too): 4 of the 30 events of a run are very improbable.
# Programs of a control group miss no events.
PASSED_OVER = {"tracepoint": 3, "sockops": 0}
STEP = 20  # milliseconds: more than the RTT of a calm viewer may rise
EXACT = {"tracepoint": KINDS, "sockops": ("rexmt",)}  # sockops infers recoveries


def cause_events(run):
    """Losses, then retransmission timeouts, losses again, and time to report them."""
    def more(kind, count):
        goal = run.happened()[kind] + count
        wait_until(lambda: run.happened()[kind] >= goal, PATIENCE, f"{count} times {kind}")

    more("dupack", 10)
    run.lab.set(down_blackhole="on")
    more("rexmt", 2 * len(run.viewers))
    run.lab.set(down_blackhole="off")
    more("dupack", 10)
    run.lab.set(down_loss="0")

    def all_counted():
        run.in_kernel = run.happened()
        run.reported = run.counted()
        late = max(run.in_kernel[kind] - run.reported[kind] for kind in EXACT[run.source])
        return run.happened() == run.in_kernel and late <= PASSED_OVER[run.source]

    wait_until(all_counted, PATIENCE, "each event is reported")
    for viewer in run.viewers:
        viewer.finish()
    run.metrics = run.daemon.wait_for(lambda m: m.sum("symcast_viewers") == 0, PATIENCE,
                                      "all viewers have left")
    run.finally_counted = run.counted()


@pytest.fixture(scope="module")
def runs(tmp_path_factory, needs_lab):
    directory = tmp_path_factory.mktemp("events")
    runs = [EventRun(source, directory / source, rate="10M", delay_ms=30, loss=LOSS, seed=i + 1)
            for i, source in enumerate(SOURCES)]
    with runs[0], runs[1], concurrent.futures.ThreadPoolExecutor() as pool:
        for run in runs:
            if f"events={run.source}" not in run.daemon.log():
                pytest.skip(run.daemon.log().splitlines()[0])
        for done in [pool.submit(cause_events, run) for run in runs]:
            done.result()
    return dict(zip(SOURCES, runs))


@pytest.mark.parametrize("source, kind", [(source, kind) for source in SOURCES
                                          for kind in EXACT[source]])
def test_every_event_is_reported_once(runs, source, kind):
    run = runs[source]
    assert 0 <= run.in_kernel[kind] - run.reported[kind] <= PASSED_OVER[source]


def test_sockops_infers_recoveries_from_retransmissions(runs):
    run = runs["sockops"]
    # Sockops cannot distinguish a recovery that begins during a timeout's repair.
    fewest = run.in_kernel["dupack"] - run.in_kernel["rexmt"]
    assert 0 < fewest <= run.reported["dupack"] <= run.in_kernel["dupack"]


@pytest.mark.parametrize("source", SOURCES)
def test_the_trace_has_each_event_that_is_counted(runs, source):
    run = runs[source]
    traced = [line for lines in run.sessions().values() for line in lines
              if line["event"] == "congestion" and line["source"] == source]
    for kind in KINDS:
        assert sum(line["kind"] == kind for line in traced) == run.finally_counted[kind]
    assert run.metrics.sum("symcast_congestion_events_lost_total") == 0


@pytest.mark.parametrize("source", SOURCES)
def test_events_retarget_the_encoder(runs, source):
    run = runs[source]
    decreases = [(decision["reason"], causes) for lines in run.sessions().values()
                 for decision, causes in decisions_and_causes(lines) if decision["reason"] in KINDS]
    assert all(reason in causes for reason, causes in decreases)
    assert run.metrics.sum("symcast_rate_decreases_total") == len(decreases)
    assert 0 < run.metrics.sum("symcast_event_to_retarget_seconds_count") <= len(decreases)


@pytest.mark.parametrize("source", SOURCES)
def test_a_longer_round_trip_of_calm_viewers_is_reported(serve, view, needs_lab, source):
    """The delay rises and falls every few seconds, until the viewers have been calm before it rises."""
    config = f'[kernel]\nevents = "{source}"\n[groups]\nmax = 1\n[rate]\nmax = "2M"\n'
    with Netlab(clients=2, rate="50M", delay_ms=STEP) as lab:
        daemon = serve("--source", "live=test:?size=192x108", config=config, lab=lab)
        if f"events={source}" not in daemon.log():
            pytest.skip(daemon.log().splitlines()[0])
        for i, client in enumerate(lab.clients):
            view(daemon.url(ip=client.server_ip), lab=lab, client=i)
        delays = itertools.cycle([STEP, 2 * STEP])

        def reported():
            lab.set(down_delay=f"{next(delays)}ms")
            return daemon.metrics().sum("symcast_congestion_events_total", kind="rtt", source=source)

        wait_until(reported, PATIENCE, "the round trip is reported", 4)
        daemon.__exit__(None)

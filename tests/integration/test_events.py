"""Congestion events against the kernel's own counters, on links that lose 1 % and carry nothing for a
second. Two servers run at once, each with its own eBPF programs, which must not report the other's
viewers."""

import concurrent.futures

import pytest

from netlab.event_run import EventRun

SOURCES = ("tracepoint", "sockops")
SECONDS = 12

# Linux skips a tracing program on a processor that is already running it (bpf_prog::active), and one
# machine's kernel also skips it where a softirq has interrupted init (2 of 1450 events; ftrace sees
# them, a second program misses them too). Programs of a control group miss no events.
PASSED_OVER = {"tracepoint": 1, "sockops": 0}


@pytest.fixture(scope="module")
def runs(tmp_path_factory, needs_lab):
    directory = tmp_path_factory.mktemp("events")
    runs = [EventRun(source, directory / source, rate="10M", delay_ms=30, loss=0.01, seed=i + 1)
            for i, source in enumerate(SOURCES)]
    with runs[0], runs[1], concurrent.futures.ThreadPoolExecutor() as pool:
        for run in runs:
            if f"events={run.source}" not in run.daemon.log():
                pytest.skip(run.daemon.log().splitlines()[0])
        for done in [pool.submit(run.run, SECONDS) for run in runs]:
            done.result()
    return dict(zip(SOURCES, runs))


@pytest.mark.parametrize("source", SOURCES)
def test_every_timeout_is_reported_once(runs, source):
    run = runs[source]
    assert run.timeouts >= len(run.viewers)  # at least one each, in the second without a link
    assert 0 <= run.timeouts - run.count("rexmt") <= PASSED_OVER[source]


def test_every_recovery_is_reported_once(runs):
    run = runs["tracepoint"]
    assert run.recoveries >= 10
    assert 0 <= run.recoveries - run.count("dupack") <= PASSED_OVER["tracepoint"]


def test_sockops_infers_recoveries_from_retransmissions(runs):
    run = runs["sockops"]
    # Sockops cannot distinguish a recovery that begins during a timeout's repair, or without SACK.
    assert abs(run.count("dupack") - run.recoveries) <= 0.2 * run.recoveries


@pytest.mark.parametrize("source", SOURCES)
def test_events_are_counted_by_their_source(runs, source):
    run = runs[source]
    for kind in ("rexmt", "dupack"):
        counted = run.metrics.sum("symcast_congestion_events_total", kind=kind, source=source)
        assert counted == run.count(kind)
    assert run.metrics.sum("symcast_congestion_events_lost_total") == 0


@pytest.mark.parametrize("source", SOURCES)
def test_an_event_retargets_the_encoder_at_once(runs, source):
    name = "symcast_event_to_retarget_seconds"
    count = runs[source].metrics.sum(f"{name}_count")
    assert count > 0
    # A loose bound, as busy machines delay threads; bench/events measures exactly.
    assert runs[source].metrics.sum(f"{name}_bucket", le="0.05") >= 0.9 * count

"""Players that read more slowly than they are sent to, while nothing is wrong with their path."""

from netlab.daemon import wait_until

FPS = 25
READS = 500_000  # bit/s
# The kernel lets it grow to 32 MB if a player reads large pieces, as on a busy machine. Until it is full, nothing
# shows that the player is slow.
RECEIVE_BUFFER = 131_072  # bytes
PIECE = 130_000  # bytes. Between two pieces, TCP hears nothing of the player for two seconds
TOP_RATE = 2_000_000
FAST, SLOW = 3, 2  # viewers
CONFIG = f"""
[rate]
start = {TOP_RATE}
max = {TOP_RATE}
[encoder]
preset = "ultrafast"
"""
ONE_GROUP, TWO_GROUPS = "[groups]\nmax = 1\n", "[groups]\nmax = 2\n"
SOURCE = f"live=test:?size=192x108&fps={FPS}&content=noise"  # takes its whole rate
PATIENCE = 180  # seconds: a busy machine closes one of the two groups for a while
SPAN = 10  # seconds of video in which frames are counted
MAX_LOST = 0.05


def groups(metrics):
    """[(viewers, target rate)] of the groups, the lowest rate first."""
    found = [(metrics.sum("symcast_group_viewers", group=group),
              metrics.sum("symcast_group_rate_target_bits_per_second", group=group)) for group in ("0", "1")]
    return sorted(found, key=lambda group: group[1])


def lost_lately(viewer, complete):
    """The share of the frames of another viewer that this one has not received, in the last seconds."""
    got = {picture["pts"] for picture in viewer.pictures()}
    end = max(got)
    sent = {picture["pts"] for picture in complete.pictures() if end - SPAN < picture["pts"] <= end}
    return len(sent - got) / max(1, len(sent))


def test_slow_readers_watch_a_group_that_they_can_take(serve, view):
    daemon = serve("--source", SOURCE, config=CONFIG + TWO_GROUPS)
    fast = [view(daemon.url(), name=f"fast{number}") for number in range(FAST)]
    slow = [view(daemon.url(), "--read-rate", READS, "--rcvbuf", RECEIVE_BUFFER, name=f"slow{number}")
            for number in range(SLOW)]

    def are_apart(metrics):
        (below, rate), (above, top) = groups(metrics)
        return (below, above) == (SLOW, FAST) and rate < READS and top == TOP_RATE

    daemon.wait_for(are_apart, PATIENCE, "a group that the slow ones can take")
    assert daemon.metrics().sum("symcast_rate_decreases_total", reason="reader") >= SLOW
    # If the machine is too busy for two encoders, all watch the group that the slow ones can take.
    for viewer in [*slow, *fast[1:]]:
        viewer.receive_more(FPS)
        wait_until(lambda: lost_lately(viewer, fast[0]) < MAX_LOST, PATIENCE, "frames arrive")  # noqa: B023


def test_slow_readers_of_large_pieces_count_all_the_time(serve, view):
    daemon = serve("--source", SOURCE, config=CONFIG + ONE_GROUP)
    fast = view(daemon.url(), name="fast")
    slow = [view(daemon.url(), "--read-rate", READS, "--read-piece", PIECE, "--rcvbuf", RECEIVE_BUFFER,
                 name=f"slow{number}") for number in range(SLOW)]
    proven = 0

    def are_served(metrics):
        nonlocal proven
        before, proven = proven, metrics.sum("symcast_viewers_by_standing", standing="proven")
        assert proven >= before, "a viewer no longer counts"
        return (len(fast.pictures()) > SPAN * FPS
                and all(lost_lately(viewer, fast) < MAX_LOST for viewer in slow))

    for viewer in slow:
        viewer.receive(1)
    daemon.wait_for(are_served, PATIENCE, "frames arrive")
    assert proven == 1 + SLOW

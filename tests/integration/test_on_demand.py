"""Segments at a rate that the player chooses (?rate= in the URL), encoded on request."""

import concurrent.futures
import contextlib
import itertools
import re
import shutil
import statistics
import subprocess
import threading

import pytest

from netlab import mp4_boxes
from netlab.daemon import Daemon, wait_until
from tests.integration.segment_requests import (NOT_IN_TIME, PATIENCE, HlsPlayer, at_once)

SEGMENT = 1  # seconds
WINDOW = 600  # seconds: longer than a test takes on a busy machine
TOP_RATE = 2_000_000
# With noise the encoder spends its whole rate. With one group, a segment of the stream is the same for all
# players; on a busy machine some would get a lower group's.
FPS = 25
NOISE = f"live=test:?size=640x360&fps={FPS}&content=noise"
CONFIG = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{SEGMENT}s"
[rate]
min = "50k"
max = {TOP_RATE}
start = {TOP_RATE}
[groups]
max = 1
[segments]
window = "{WINDOW}s"
"""
GENEROUS = CONFIG + "[on_demand]\ncpu = 1\n"

# Overhead of a chunk: its boxes, and their entries for each frame.
CHUNK = 150  # bytes
SAMPLE = 20


class Choosy(HlsPlayer):
    """A player that requests rates of its own."""

    def __init__(self, daemon, **where):
        super().__init__(daemon, **where)
        self.daemon = daemon
        self.requests = 0

    def at(self, number, rate, rendition="auto"):
        self.requests += 1
        return self.get_in_time(self.path(rendition, f"{number}.m4s?rate={rate}"))

    def encoded(self, number, rate):
        """Repeats the request until the reply is no substitute, which a slow machine sends."""
        def own_rate():
            before = substituted(self.daemon)
            reply = self.at(number, rate)
            return reply if substituted(self.daemon) == before else None
        return wait_until(own_rate, 4 * PATIENCE, f"segment {number} at {rate}")

    def newest(self):
        """Number of the newest complete segment."""
        return self.playlist("auto").segments[-1].number

    def whole(self):
        """Number of the newest complete segment if no frame is missing in it, nor the one after it, until
        which its last frame lasts; else None."""
        number = self.newest()
        sizes, ticks = samples(self.own(number))
        in_time = ticks < (SEGMENT + 0.5 / FPS) * self.scale()
        return number if len(sizes) == FPS * SEGMENT and in_time else None

    def own(self, number):
        """The segment as its group encoded it."""
        return self.media(self.path("auto", f"{number}.m4s"))

    def scale(self):
        return mp4_boxes.timescale(self.media(self.path("auto", "init.mp4")))


# A stream with a short window.
SHORT_KEPT = 12  # segments
SHORT = """
[[stream]]
name = "short"
source = "test:?size=192x108&fps=10"
encoder.keyframe_interval = "500ms"
segments.window = "6s"
"""


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    directory = tmp_path_factory.mktemp("noisy")
    name, source = NOISE.split("=", 1)
    config = GENEROUS + f'[[stream]]\nname = "{name}"\nsource = "{source}"\n' + SHORT
    with Daemon(directory=directory, config=config) as daemon:
        yield daemon


@pytest.fixture(scope="module", autouse=True)
def short_first(noisy):
    """Number of the first segment of the stream `short`, which leaves the window while tests run."""
    with Choosy(noisy, stream="short") as player:
        return player.newest()


@pytest.fixture
def player(noisy):
    with Choosy(noisy) as choosy:
        # The group's first segments still have the rate that its encoder started with.
        wait_until(lambda: len(choosy.playlist("auto").segments) >= 3, PATIENCE, "segments")
        yield choosy


@pytest.fixture
def whole(player):
    """Number of a segment that has all its frames: on a busy machine some are missing."""
    return wait_until(player.whole, 4 * PATIENCE, "a whole segment", 0.2)


def counted(daemon):
    """{result: segments}."""
    metrics = daemon.metrics()
    return {result: metrics.sum("symcast_on_demand_segments_total", result=result)
            for result in ("coded", "shared", "substituted", "failed")}


def substituted(daemon):
    return counted(daemon)["substituted"]


def since(daemon, before):
    """Without those that a slow machine substituted."""
    return {result: count - before[result] for result, count in counted(daemon).items()
            if count != before[result] and result != "substituted"}


def samples(body):
    """Sizes of the frames, and their total duration in ticks."""
    chunks = mp4_boxes.chunks(body)
    return ([size for _, _, sizes in chunks for size in sizes],
            sum(sum(durations) for _, durations, _ in chunks))


# Content of the segments.

# A segment leaves about 4 % of its rate unused, and 13 % with frames as small as 500 bytes; single ones
# differ by some percent.
@pytest.mark.parametrize("kbps, least", [(100, 0.85), (150, 0.85), (333, 0.9), (734, 0.9), (1300, 0.9)])
def test_segments_have_the_requested_rates(player, whole, kbps, least):
    used = []
    for wanted in (10 * kbps * percent for percent in (100, 102, 104, 106)):
        body = player.encoded(whole, wanted).body
        sizes, ticks = samples(body)
        duration = ticks / player.scale()
        assert duration == pytest.approx(SEGMENT, abs=0.05)
        used.append(8 * sum(sizes) / duration / wanted)
        assert len(body) - sum(sizes) < CHUNK * len(mp4_boxes.chunks(body)) + SAMPLE * len(sizes)
    assert max(used) < 1.02
    assert statistics.mean(used) > least


@pytest.mark.parametrize("rate", ["100k", "1M"])
def test_chunks_are_those_of_the_groups_segment(player, whole, rate):
    own, coded = player.own(whole), player.encoded(whole, rate).body
    assert [(begin, durations) for begin, durations, _ in mp4_boxes.chunks(own)] \
        == [(begin, durations) for begin, durations, _ in mp4_boxes.chunks(coded)]
    assert len(coded) < 0.6 * len(own)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
@pytest.mark.parametrize("rate, width", [("100k", 320), ("1M", 640)])
def test_frames_are_those_of_the_groups_segment(player, whole, rate, width, tmp_path):
    init = player.media(player.path("auto", "init.mp4"))
    own = decoded(init + player.own(whole), tmp_path / "own.mp4")
    coded = decoded(init + player.encoded(whole, rate).body, tmp_path / "coded.mp4")
    assert [times for times, _ in own] == [times for times, _ in coded]
    assert len(own) == FPS * SEGMENT
    assert {size for _, size in coded} == {width * width * 9 // 16 * 3 // 2}


def decoded(data, path):
    """[((dts, pts, duration), bytes)] of each decoded frame; fails if ffmpeg complains."""
    path.write_bytes(data)
    done = subprocess.run(["ffmpeg", "-v", "warning", "-nostdin", "-copyts", "-i", path,
                           "-autoscale", "0", "-fps_mode", "passthrough", "-f", "framecrc", "-"],
                          capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert not done.stderr
    lines = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    return [(tuple(map(int, line[1:4])), int(line[4])) for line in lines]


@pytest.mark.parametrize("ahead", [1, 2])
def test_an_incomplete_segment_is_encoded_when_it_is_complete(player, ahead):
    def in_time():
        path = player.path("auto", f"{player.newest() + ahead}.m4s?rate=500k")
        reply = player.get(path)
        return None if NOT_IN_TIME in reply.body else reply

    reply = wait_until(in_time, PATIENCE, "a segment in time")
    assert reply.status == 200
    assert int(reply.headers["Content-Length"]) == len(reply.body)
    assert reply.headers["Content-Type"] == "video/mp4"
    assert "CMSD-Dynamic" in reply.headers


def test_bytes_sent_count_for_the_session(serve):
    daemon = serve("--source", NOISE, config=GENEROUS)
    with Choosy(daemon) as player:
        body = player.at(player.newest(), "800k").body
    daemon.end()
    assert re.search(r"session_ended .* bytes=(\d+)", daemon.log())[1] == str(len(body))


# Encoding once.

def test_a_segment_is_encoded_once(player, noisy):
    number = player.newest()
    before = counted(noisy)
    bodies = [player.encoded(number, "612k").body]
    assert since(noisy, before) == {"coded": 1}
    bodies += [player.encoded(number, "612k").body, player.encoded(number, "0.612M").body]
    with Choosy(noisy) as other:
        bodies.append(other.encoded(number, "612300").body)
    assert len(set(bodies)) == 1
    assert since(noisy, before) == {"coded": 1, "shared": 3}


def test_a_segment_is_encoded_once_for_concurrent_requests(player, noisy):
    number = player.newest()
    before = counted(noisy)
    players = [Choosy(noisy) for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        replies = list(pool.map(lambda each: each.encoded(number, "433k"), players))
    for each in players:
        each.__exit__()
    assert [reply.status for reply in replies] == 4 * [200]
    assert len({reply.body for reply in replies}) == 1
    requests = sum(each.requests for each in players) - substituted(noisy) + before["substituted"]
    assert since(noisy, before) == {"coded": 1, "shared": requests - 1}


@pytest.mark.parametrize("rate", [TOP_RATE, "2050k", "1G"])
def test_rates_above_the_groups_get_the_groups_segment(player, noisy, rate):
    """A player cannot exceed the rate that the operator allows."""
    number = player.newest()
    before = counted(noisy)
    same = player.at(number, rate).body == player.own(number)
    assert same  # pytest compares long bodies for minutes
    assert since(noisy, before) == {"shared": 1}


def test_rates_below_rate_min_get_rate_min(player):
    number = player.newest()
    same = player.encoded(number, "1k").body == player.encoded(number, "50k").body
    assert same


# Requests that are refused.

@pytest.mark.parametrize("rate", ["", "0", "0k", "-500k", "fast", "500x", "k", "nan", "inf",
                                  "500k,600k", "500%6B", "1e3k", "500 k".replace(" ", "+")])
def test_a_bad_rate_is_400(player, rate):
    reply = player.at(player.newest(), rate)
    assert reply.status == 400
    assert reply.body.startswith(b"?rate= ") and reply.body.count(b"\n") == 1


def test_audio_has_one_rate(player):
    reply = player.at(player.newest(), "64k", "audio")
    assert reply.status == 400
    assert b"video" in reply.body and reply.body.count(b"\n") == 1


def test_a_part_has_its_groups_rate(player):
    reply = player.get(player.path("auto", f"{player.newest()}.0.m4s?rate=500k"))
    assert reply.status == 400
    assert b"whole video segments" in reply.body and reply.body.count(b"\n") == 1


# The budget.

SMALL_BUDGET = CONFIG + "[on_demand]\ncpu = 0.02\n"
FLOOD_FROM = "127.0.0.9"


def rate_of(player, body):
    sizes, ticks = samples(body)
    return 8 * sum(sizes) * player.scale() / ticks


def test_a_flood_leaves_a_player_their_share(serve):
    daemon = serve("--source", NOISE, config=SMALL_BUDGET)
    stop = threading.Event()

    def flood(seed):
        with Choosy(daemon, source_address=FLOOD_FROM) as player:
            rates = itertools.cycle(f"{int((100 + seed) * 1.06 ** step)}k" for step in range(48))
            while not stop.is_set():
                assert player.at(player.newest(), next(rates)).status == 200

    with concurrent.futures.ThreadPoolExecutor(8) as pool, Choosy(daemon) as player:
        floods = [pool.submit(flood, seed) for seed in range(8)]
        try:
            wait_until(lambda: substituted(daemon), PATIENCE, "the budget is used up")
            has_share = []
            while not any(has_share):
                number = player.newest()
                reply = player.at(number, "613k")
                assert reply.status == 200
                has_share.append(500e3 < rate_of(player, reply.body) < 626e3)
                assert len(has_share) < 30, has_share
                wait_until(lambda number=number: player.newest() > number + 3, PATIENCE, "the next segments")
        finally:
            stop.set()
        for each in floods:
            each.result()


def test_beyond_the_budget_the_nearest_rate_is_sent(serve):
    daemon = serve("--source", NOISE, config=SMALL_BUDGET)
    with contextlib.ExitStack() as stack:
        players = [stack.enter_context(Choosy(daemon)) for _ in range(24)]
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(len(players)))
        rates = [f"{int(100 * 1.1 ** step)}k" for step in range(len(players))]

        def too_many():
            """All request different rates of a segment at the same time."""
            number = players[0].newest()
            replies = list(pool.map(lambda player, rate: player.at(number, rate), players, rates))
            assert {reply.status for reply in replies} == {200}
            durations = {samples(reply.body)[1] for reply in replies}
            assert durations == {samples(players[0].own(number))[1]}, "each is a rate of this segment"
            return substituted(daemon)

        wait_until(too_many, PATIENCE, "more requests than can be encoded")
        wait_until(lambda: "on_demand_substituted" in daemon.log(), PATIENCE, "a line in the log")


def test_without_a_budget_nothing_is_encoded(serve):
    daemon = serve("--source", NOISE, config=CONFIG + "[on_demand]\ncpu = 0\n")
    with Choosy(daemon) as player:
        number = player.newest()
        reply = player.at(number, "500k")
        assert reply.status == 404
        assert reply.body.count(b"\n") == 1 and b"on_demand.cpu" in reply.body
        assert player.at(number, TOP_RATE).status == 200, "the group's segment is served"


def test_an_unknown_segment_is_404_at_once(noisy, short_first):
    with Choosy(noisy, stream="short") as player:
        wait_until(lambda: player.newest() > short_first + SHORT_KEPT, PATIENCE,
                   "the first segment has left the window", 0.2)
        for number in (short_first, player.newest() + 50, 10**9):
            reply = at_once(player, lambda number=number: player.at(number, "500k"))
            assert reply.status == 404
            assert reply.body.startswith(b"there is no such segment: ")
            assert reply.body.count(b"\n") == 1

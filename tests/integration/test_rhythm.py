"""Live frames keep the rhythm of their timestamps: under the limit of the frame rate, in bursts, and with
timestamps that wobble. The sources are MPEG-TS by UDP. All play at the same time, and each is watched."""

import collections
import socket
import subprocess

import pytest

from netlab.daemon import Daemon, free_port
from netlab.ts_sender import TsSender
from netlab.viewer import Viewer, receive_more
from tests.integration import far_ends
from tests.integration.conftest import KEEP_GROUPS, QUICK

SECONDS = 90  # of media; the test ends earlier
FRAMES = 60  # in a row that the tests look at

Kind = collections.namedtuple("Kind", "rate kept burst wobble", defaults=(1, 0.0))
KINDS = {
    "50": Kind(50, 25),
    "60": Kind(60, 30),
    "59.94": Kind(60000 / 1001, 30000 / 1001),
    "25 in bursts": Kind(25, 25, burst=6),
    "50 in bursts": Kind(50, 25, burst=12),
    "25 in bursts of 2 s": Kind(25, 25, burst=50),
    "30 in bursts of 4 s": Kind(30, 30, burst=120),
    "30 wobbling": Kind(30, 30, wobble=0.012),
}


def length(kind):
    """Seconds between the first and the last frame of a burst."""
    return (KINDS[kind].burst - 1) / KINDS[kind].rate


def counted(metrics, stream, kind):
    """Frames that the server dropped, breaks (pauses of the machine), and frames that it kept. Frames behind a
    repeated one are dropped. Between the bursts of some sources the last frame is always repeated."""
    dropped, jumps, stalls, kept, repeated = (
        metrics.sum(f"symcast_source_{name}_total", stream=stream)
        for name in ("frames_dropped", "timeline_jumps", "stalls", "frames", "frames_repeated"))
    return dropped, jumps + stalls + (repeated if KINDS[kind].burst == 1 else 0), kept


class Rhythms:
    """The pts of FRAMES frames of each kind that were received while the source did not pause, and
    what the server counted meanwhile."""

    def __init__(self, directory):
        ports = {kind: free_port(socket.SOCK_DGRAM) for kind in KINDS}
        stream = {kind: f"s{number}" for number, kind in enumerate(KINDS)}
        sources = [word for kind in KINDS
                   for word in ("--source", f"{stream[kind]}=udp://127.0.0.1:{ports[kind]}")]
        clips = {kind: directory / f"{stream[kind]}.ts" for kind in KINDS}
        makers = [subprocess.Popen(far_ends.clip_command(
            clips[kind], seconds=SECONDS, rate=KINDS[kind].rate, size="96x54", tone=None,
            video=("-bf", "0"))) for kind in KINDS]
        assert [maker.wait(60) for maker in makers] == [0] * len(makers)
        senders = [TsSender(clips[kind], ports[kind], *KINDS[kind][:1], *KINDS[kind][2:]) for kind in KINDS]
        self.pts, self.dropped, self.kept, self.wait, self.waited = {}, {}, {}, {}, {}
        with Daemon(*sources, directory=directory, config=KEEP_GROUPS + QUICK,
                    sources_play=False) as daemon:
            for sender in senders:
                sender.__enter__()
            try:
                daemon.wait_for(lambda m: m.sum("symcast_source_status", status="playing") == len(KINDS),
                                60, "all sources play")
                viewers = {kind: Viewer(daemon.url(stream[kind]), directory=directory, name=stream[kind])
                           for kind in KINDS}
                receive_more(viewers.values(), FRAMES)  # until rate and jitter are known
                for kind in KINDS:
                    daemon.wait_for(lambda m, k=kind: m.sum("symcast_source_dejitter_seconds", stream=stream[k])
                                    >= length(k) / 2, 60, f"{kind}: bursts are known")
                while viewers:
                    self._watch(daemon, stream, viewers)
            finally:
                for sender in senders:
                    sender.__exit__()

    def _watch(self, daemon, stream, viewers):
        """Takes the viewers out that have received FRAMES frames without a pause of the machine."""
        metrics = daemon.metrics()
        before = {kind: counted(metrics, stream[kind], kind) for kind in viewers}
        waited = {kind: metrics.sum("symcast_source_dejitter_seconds", stream=stream[kind]) for kind in viewers}
        first = {kind: len(viewer.pictures()) for kind, viewer in viewers.items()}
        receive_more(viewers.values(), FRAMES)
        metrics = daemon.metrics()
        for kind in list(viewers):
            (dropped, breaks, kept), then = counted(metrics, stream[kind], kind), before[kind]
            if breaks != then[1]:
                continue
            with viewers.pop(kind) as viewer:
                pictures = viewer.pictures()[first[kind]:first[kind] + FRAMES]
            self.pts[kind] = [picture["pts"] for picture in pictures]
            self.dropped[kind] = dropped - then[0]
            self.kept[kind] = kept - then[2]
            self.wait[kind] = metrics.sum("symcast_source_dejitter_seconds", stream=stream[kind])
            self.waited[kind] = max(self.wait[kind], waited[kind])


@pytest.fixture(scope="module")
def rhythms(tmp_path_factory):
    return Rhythms(tmp_path_factory.mktemp("rhythm"))


@pytest.mark.parametrize("kind", KINDS)
def test_frames_are_even(rhythms, kind):
    """Frames that a busy machine left out are whole steps of the rhythm."""
    kept, wobble = KINDS[kind].kept, KINDS[kind].wobble
    steps = [(b - a) * kept for a, b in zip(rhythms.pts[kind], rhythms.pts[kind][1:])]
    assert not [step for step in steps
                if abs(step - max(1, round(step))) > 0.1 + 2 * wobble * kept]


@pytest.mark.parametrize("kind", KINDS)
def test_only_every_second_frame_of_a_fast_source_is_dropped(rhythms, kind):
    """A source at or below the limit loses none, however its timestamps wobble. A kept frame is counted
    when its turn has come: some wait when the counters are read, a burst or, on a busy machine, more."""
    waiting = max(KINDS[kind].burst, rhythms.waited[kind] * KINDS[kind].kept)
    if KINDS[kind].rate == KINDS[kind].kept:
        assert rhythms.dropped[kind] == 0
    else:
        assert abs(rhythms.dropped[kind] - rhythms.kept[kind]) <= 1 + waiting


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].burst > 1])
def test_a_burst_is_spaced(rhythms, kind):
    """The last frame of a burst waits for the time of the frames before it; on a busy machine longer."""
    assert length(kind) / 2 < rhythms.wait[kind] <= max(0.5, 2 * length(kind))

"""Sources that lie, beside a good one: for each case, a server whose memory is limited, with the good source
and a viewer; then the bad source is added, plays for some time, and is removed. Good media and what does no
harm may play; every other source has to be named in the log, with a reason.

memory         MB of the server and the processes of its sources, at the end of the time and at most
threads, fds   of the server: before the bad source, at most beside it, and after it
CPU            seconds of the server and the processes of its sources, beside the bad source
gap            longest time without a picture, of the good source's viewer; wanted at most 250 ms
named          seconds until the log has a warning about the bad source; wanted at most 10
others         % of this machine's CPU time that neither the service nor its clients took"""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench.hostile.figures import longest_gap, megabytes, shortened, verdict
from bench.hostile.service import MemoryGroup, Others, Usage, Watch, usage
from bench.tools import bench_tool
from netlab.daemon import END_SECONDS, Daemon, wait_until
from netlab.lying_media import made_media
from netlab.lying_source import descriptions
from netlab.network import stop
from netlab.viewer import Viewer

GOOD = '[[stream]]\nname = "good"\nsource = "test:?size=320x180"\n'
GAP = 0.25  # seconds
NAMED = 10  # seconds
LEAVES = 5  # seconds within which the threads and descriptors of a source have to go
LONG = 300  # seconds
OPERATORS = {  # mistakes of the operator's own
    "gst_16k": "raw video of 16000x16000 by a launch text", "fifo": "a FIFO that nobody writes",
}
TOGETHER = {  # many at a time
    "pmt_x17": ["pmt"] * 16 + ["stall"],
    "twenty": ["ts_full", "fps", "pids", "zeros", "nulls", "garbage_full", "gzipbomb", "resize.h264", "bomb.png",
               "ts_full_mono", "headflood", "mkvhuge", "mp4huge", "wav", "pmt", "ptsjump", "rtspredirect", "rtspheader",
               "sps", "big16k.ts"],
}
# They play, and cost the others nothing: a warning is not wanted.
HARMLESS = {"ts_full", "ts_full_mono", "ptsjump", "ptszero", "audio_ok", "pids_ok", "side_audio", "side_video",
            "side_data", "fps", "resize.h264", "resize.ts", "sps_good",
            *(f"sps{number}" for number in (4, 6, 10, 12, 13, 14, 15, 16, 19, 20))}


def all_cases():
    return [*descriptions(), *OPERATORS, *TOGETHER]


class LyingProcess:
    """netlab/lying_source.py as a process of its own: its work does not delay the measurement."""

    def __init__(self, media):
        self._process = subprocess.Popen([sys.executable, "-m", "netlab.lying_source", "serve", "--port", "0",
                                          "--media", str(media)], stdout=subprocess.PIPE, text=True)
        self.uris = dict(line.split() for line in iter(self._process.stdout.readline, "\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self._process)


@dataclasses.dataclass
class Row:
    case: str
    alive: str
    memory: int | None
    memory_most: int | None
    before: Usage
    most: Usage
    after: Usage | None
    cpu: float
    gap: float
    others: float
    named: float | None
    reason: str | None
    played: bool

    @property
    def harmless(self):
        return self.case in HARMLESS and self.played

    @property
    def left(self):
        """Whether threads or descriptors are left."""
        return self.after is not None and (self.after.threads > self.before.threads or
                                           self.after.descriptors > self.before.descriptors)

    def text(self):
        def three(name):
            return "/".join("-" if u is None else str(getattr(u, name)) for u in (self.before, self.most, self.after))
        named = "-" if self.named is None else f"{self.named:.1f}"
        reason = self.reason or ("plays" if self.played else "nothing")
        return (f"{self.case:15}{self.alive:>6}{megabytes(self.memory):>7}{megabytes(self.memory_most):>6}"
                f"{three('threads'):>12}{three('descriptors'):>13}{self.cpu:>7.1f}{1000 * self.gap:>6.0f}{named:>7}"
                f"{100 * self.others:>7.0f}  {shortened(reason, 90)}")


HEAD = (f"{'case':15}{'alive':>6}{'MB':>7}{'most':>6}{'threads':>12}{'fds':>13}{'CPU s':>7}{'gap':>6}"
        f"{'named':>7}{'others':>7}  reason")


def sources_of(case, lying, directory):
    """{stream: URI}"""
    if case in TOGETHER:
        return {f"bad{i}": lying.uris[name] for i, name in enumerate(TOGETHER[case])}
    if case == "gst_16k":
        return {"bad": "gst:videotestsrc is-live=1 ! video/x-raw,width=16000,height=16000 ! identity"}
    if case == "fifo":
        os.mkfifo(directory / "fifo")
        return {"bad": f"file:{directory / 'fifo'}"}
    return {"bad": lying.uris[case]}


def config_of(sources):
    return GOOD + "".join(f"[[stream]]\nname = \"{name}\"\nsource = '{uri}'\n" for name, uri in sources.items())


class Trial:
    """A server with the good source, its viewer, and a bad source for `seconds`."""

    def __init__(self, case, seconds, limit, lying, directory):
        self._case, self._seconds, self._directory = case, seconds, directory
        self._sources = sources_of(case, lying, directory)
        with MemoryGroup(limit) as group:
            self._group = group
            self._daemon = Daemon(directory=directory, config=GOOD, wrapper=group.wrapper)
            try:
                with Viewer(self._daemon.url("good"), directory=directory) as viewer, \
                        Watch(self._daemon.process.pid) as watch:
                    self._run(viewer, watch)
            finally:
                self._end()

    def _run(self, viewer, watch):
        viewer.receive(60)
        self._before, begin, others = usage(self._daemon.process.pid), time.monotonic(), Others()
        watch.reset()
        self._reload(config_of(self._sources))
        self._wait(self._seconds)
        now = usage(self._daemon.process.pid)
        self._memory = self._group.now() if self._group.wrapper else now and now.memory
        self._cpu = watch.most.cpu - self._before.cpu
        self._reload(GOOD)
        self._after = self._wait_for_the_end()
        self._most = watch.most
        self._memory_most = self._group.most() if self._group.wrapper else watch.most.memory
        arrivals = [picture["arrival_ns"] / 1e9 for picture in viewer.pictures()]
        self._gap, self._others = longest_gap(arrivals, begin, time.monotonic()), others.share()

    def _alive(self):
        return self._daemon.process.poll() is None

    def _reload(self, config):
        with contextlib.suppress(AssertionError):  # it has ended, and the row says so
            self._daemon.reload(config)

    def _wait(self, seconds):
        end = time.monotonic() + seconds
        while self._alive() and time.monotonic() < end:
            time.sleep(0.1)

    def _wait_for_the_end(self):
        """The use once the bad source has gone, or after the time that it may take for that."""
        deadline = time.monotonic() + LEAVES
        while True:
            now = usage(self._daemon.process.pid)
            if not now or time.monotonic() > deadline or (now.threads <= self._before.threads and
                                                          now.descriptors <= self._before.descriptors):
                return now
            time.sleep(0.1)

    def _end(self):
        self._verdict = "yes" if self._alive() else "no"
        if self._alive() and self._daemon.end() > END_SECONDS:
            self._verdict = "hangs"

    def _of_the_log(self):
        """verdict() for one source; for several, the last to be named, and how many are."""
        verdicts = [verdict(self._daemon.log(), name) for name in self._sources]
        if len(verdicts) == 1:
            return verdicts[0]
        named = [seconds for seconds, _, _ in verdicts if seconds is not None]
        played = sum(plays for _, _, plays in verdicts)
        reason = f"{len(named)} of {len(verdicts)} are named, {played} have played"
        return max(named, default=None), reason, len(named) + played == len(verdicts)

    def row(self):
        return Row(self._case, self._verdict, self._memory, self._memory_most, self._before, self._most, self._after,
                   self._cpu, self._gap, self._others, *self._of_the_log())


def summary(rows):
    def names(kind, chosen):
        return f"{kind}: {' '.join(row.case for row in chosen) or 'none'}"
    unnamed = [row for row in rows if not row.harmless and (row.named is None or row.named > NAMED)]
    return "\n".join([
        f"{len(rows)} cases",
        names("dead or hanging", [row for row in rows if row.alive != "yes"]),
        names(f"gap above {1000 * GAP:.0f} ms", [row for row in rows if row.gap > GAP]),
        names(f"not named within {NAMED} s", unnamed),
        names("threads or descriptors left", [row for row in rows if row.left]),
        names("harmless", [row for row in rows if row.harmless])])


def media_folder(options):
    return made_media(options.media or bench_tool("lying_media"))


def add_options(parser):
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all by default; python3 -m netlab.lying_source list")
    parser.add_argument("--seconds", type=float, default=15, help="of each bad source [%(default)s]")
    parser.add_argument("--limit", type=float, default=1000, help="MB of memory for the service [%(default)s]")
    parser.add_argument("--long", action="store_true", help=f"pmt for {LONG} s")
    parser.add_argument("--media", type=pathlib.Path, help="folder with the lying media; made if it is missing")


def run(options):
    cases = options.cases or all_cases()
    if unknown := set(cases) - set(all_cases()):
        sys.exit(f"hostile: no such case: {' '.join(sorted(unknown))}")
    media = media_folder(options)
    limit = int(options.limit * 1e6)
    with MemoryGroup(limit) as group:
        print(f"memory is not limited: {group.why}" if group.why else f"memory is limited to {options.limit:.0f} MB")
    print(HEAD, flush=True)
    rows = []
    for case in cases:
        seconds = LONG if options.long and case == "pmt" else options.seconds
        with tempfile.TemporaryDirectory() as directory, LyingProcess(media) as lying:
            rows.append(Trial(case, seconds, limit, lying, pathlib.Path(directory)).row())
        print(rows[-1].text(), flush=True)
    print(summary(rows))

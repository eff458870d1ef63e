"""Paper 000: adaptive video from a cloud, over five congestion controls."""

from bench.papers.cloud import live, page
from bench.papers.cloud.page import HIGHEST, LIVE, OURS
from bench.papers.cloud.places import CALM, CONGESTED, DOWNLOAD, LADDER, LOSSY, PAUSE, PLACES, PRIVATE
from bench.papers.cloud.player import CAUTION, FULL, KINDS, MEASURED, SEGMENT, START
from bench.papers.cloud.replay import START_APART
from bench.papers.experiment import Experiment, Run
from bench.papers.guest import CONTROLS, run_in_guest

SECONDS = {False: 480, True: 40}  # seconds of video; the key says whether the pass is quick
LIVE_SECONDS = {False: 120, True: 16}
LIVE_AT_ONCE = [[PRIVATE, LOSSY, CONGESTED], list(CALM)]  # more encoders would not keep up
SET_UP = 15  # seconds to boot and to make the paths
SLACK = 120  # seconds that a guest may take longer
# The guest did not keep up if it was busier than this, or if one turn in a hundred of the loop that
# serves and plays took longer than this, in seconds.
BUSY, TURN = 0.8, 0.07


def runs(scope):
    seconds, live_seconds = SECONDS[scope.quick], LIVE_SECONDS[scope.quick]
    found = [Run(f"{kind}, seed {seed}", seconds + SET_UP, seed,
                 {"kind": kind, "seconds": seconds})
             for seed in scope.seeds for kind in KINDS]
    return found + [Run(f"{LIVE} from {places[0]} and others, seed {seed}", live_seconds + 10, seed,
                        {"kind": LIVE, "seconds": live_seconds, "places": places})
                    for seed in scope.seeds for places in LIVE_AT_ONCE]


def measure(run, directory):
    measured = _live if run.settings["kind"] == LIVE else _players
    return measured(run, directory)


def _players(run, _directory):
    kind, seconds = run.settings["kind"], run.settings["seconds"]
    sessions = [(place, control, kind) for place in PLACES for control in CONTROLS]
    found = run_in_guest("bench.papers.cloud.replay",
                         {"sessions": sessions, "seconds": seconds, "seed": run.seed},
                         timeout=seconds + SLACK)
    lanes = []
    for (place, control, _), lane in zip(sessions, found.pop("lanes")):
        if kind != HIGHEST or place != CONGESTED:
            del lane["curve"]  # only curves of these are drawn
        lanes.append((kind, place, control, lane))
    complaints = []
    if found["busy"] > BUSY:
        complaints.append(f"the guest was {found['busy']:.0%} busy")
    if found["turn_p99"] > TURN:
        complaints.append(f"a turn in the guest took {1000 * found['turn_p99']:.0f} ms")
    return {"complaints": complaints, **found, "lanes": lanes}


def _live(run, directory):
    found = live.run(run.settings["places"], run.settings["seconds"], run.seed, directory)
    lanes = found.pop("places").items()
    return {**found, "lanes": [(LIVE, place, OURS, lane) for place, lane in lanes]}


def _paths():
    lines = ["| path | RTT | rate | queue | loss | another user |", "|---|---|---|---|---|---|"]
    for name, place in PLACES.items():
        path = place.path
        lines.append(f"| {name} | {path.rtt_ms} ms | {path.rate / 1e6:g} Mbit/s "
                     f"| {path.queue} packets | {100 * path.loss:g} % "
                     f"| {'yes' if place.contested else 'no'} |")
    return "\n".join(lines)


EXPERIMENT = Experiment(
    name="cloud",
    title="Video from a cloud: five congestion controls",
    paper="Alvarez-Horine 2012, *Video in the cloud: TCP congestion control optimization for cloud "
          "computing* (San José State University, Master's Projects 284)",
    hypothesis="""
In a private cloud and from nearby regions the congestion control hardly matters to an adaptive
player; from a region behind a congested path it does: htcp and cubic play most of the video, vegas
least, and vegas has the smoothest window.""",
    method=f"""
A User-Mode Linux guest has the congestion controls bic, cubic, highspeed, htcp and vegas, and netem.
In it a server of segments (HTTP, connections that stay, a port for each congestion control) and
players of {SEGMENT:g} s segments in real time, each on a path of its own, all at once:

{_paths()}

From the regions: ADSL in ATM cells, so {PLACES[CONGESTED].path.payload() / 8000:.0f} KB/s of TCP's
payload. The delays are ours, of usual ways from San José; so are EUWest's loss and its other user,
who over cubic, through the same queue, downloads {DOWNLOAD / 1000:g} KB and pauses {PAUSE:g} s in
turns (means, exponential; the same on each of its paths): they are chosen so that cubic comes out
about where the paper saw it.

Rates: {", ".join(map(str, LADDER))} kbit/s, from the regions up to
{PLACES[CONGESTED].highest}. A player begins, and goes on after a stall, with {START:g} s of media;
above {FULL:g} s it waits until less than {START:g} s are left (OSMF's settings). *Always the highest*
asks for the highest rate, as the paper saw OSMF's player do; *adaptive* for the highest within
{CAUTION:g} of the harmonic mean throughput of its last {MEASURED} segments.
{SECONDS[False] // 60} minutes of each, players beginning within {START_APART:g} s by the seed. KB/s
are of payload, mean and SD over seconds; windows are read ten times a second at the server.

Our stream: symcast with the policy symbiosis over cubic, 640x360, ultrafast, up to the same highest
rate, one viewer each, {LIVE_SECONDS[False] // 60} minutes. It runs over link_emulator's links of the
same rate (of full packets), delay, queue and loss, with the same other user: three encoders are more
than a guest's one CPU has.""",
    differences=(
        "emulated paths in place of Amazon's regions of 2012 and a home in San José; the cause of "
        "EUWest's congestion is not known: ours has random loss and another user",
        "the TCP of Linux 6.1 in place of 3.2's, with RACK and tail loss probes",
        "a model of OSMF's player in place of Flash; the adaptive kind is not in the paper",
        "one TCP connection for each player: the paper's had 9 to 28, whose number depended on the "
        "congestion control; it is not replayed",
        "private cloud of 100 Mbit/s in place of 1 Gbit/s, and 8 minutes of video in place of ten",
        "netem has no seed in this kernel: loss differs between repeats, whatever the seed; when "
        "players begin and what the other user does follows the seed",
        "loss strikes before the queue in netem, behind it in link_emulator"),
    runs=runs, measure=measure, report=page.report, testbeds=("guest", "links", "player"),
    at_once=2, repeats=3)

"""Paper 003: an encoder with and without feedback on retransmissions."""

import statistics
import subprocess
import time

from bench.papers.cross_traffic import CrossTraffic, periods
from bench.papers.experiment import Experiment, Run
from bench.papers.statistic import in_most, spread
from bench.policies.health import PRIORITY, Health
from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import match_pictures, percentile, picture_delays, read_sessions
from netlab.viewer import Viewer, assert_clean

SITES = {"columbia": 41, "princeton": 51, "isi": 65, "fokus": 144, "galileo": 287}  # RTT, ms
MODES = ("off", "itcp", "symbiosis")  # the server's policies
FOLLOWING = ("itcp", "symbiosis")  # modes
CODECS = ("mpeg2", "h264")
PICTURES = 1000
FRAMES_PER_SECOND = 30
VIDEO_SECONDS = PICTURES / FRAMES_PER_SECOND
RATE = 2e6  # of the video, bit/s
LINKS = {"mpeg2": 2.2e6, "h264": 2.3e6}  # bit/s: 1.1 times the output without feedback
QUEUE = 0.1  # seconds; a round trip on longer paths, as is usual in routers
CONGESTION_CONTROL = "reno"  # FreeBSD's of 2003
LONGEST = 2.2  # times the video's length; later frames count as never arrived
CROSS = {"first": 4, "mean_pause": 8, "mean_length": 9}  # seconds
CROSS_RATE = 1e6  # bit/s
GUARD = 1000  # ms after a cut in which events belong to it (lazy back-off)
SERIES_SEED = 1
NICE = ("nice", "-n", str(PRIORITY))
# Busy enough that it always takes the whole rate: a zoom into a fractal under film grain.
SOURCE = ("ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i",
          "mandelbrot=size=352x240:rate=30:end_pts=600", "-vf",
          "noise=alls=16:allf=t,format=yuv420p", "-c:v", "libx264", "-preset", "ultrafast",
          "-crf", "8", "-g", "30")
CONFIG = """
[server]
queue = "30s"
[video]
max_width = 176
max_height = 120
[audio]
enabled = false
[scaling]
min_bits_per_pixel = 0
[rate]
min = "200k"
max = "{rate}"
start = "{rate}"
[encoder]
psnr = true
crf = 2
[tcp]
congestion_control = "{congestion_control}"
[itcp]
decrease_factor = 0.55
guard_rtts = {guard_rtts}
hold = "500ms"
hold_max = "1s"
restore_step = 0.25
restore_interval = "500ms"
"""
STREAM = """
[[stream]]
name = "{name}"
source = "file:{source}"
encoder = {{ codec = "{codec}" }}
control = {{ policy = "{policy}" }}
"""


def lanes():
    return [(mode, codec) for codec in CODECS for mode in MODES]


def name_of(mode, codec):
    return f"{mode}-{codec}"


def runs(scope):
    sites = ["columbia", "galileo"] if scope.quick else list(SITES)
    return [Run(f"{site}, seed {seed}", LONGEST * VIDEO_SECONDS, seed, {"site": site})
            for site in sites for seed in scope.seeds]


def measure(run, directory):
    round_trip = SITES[run.settings["site"]]
    source = directory / "source.mp4"
    subprocess.run([*SOURCE, "-t", str(VIDEO_SECONDS * LONGEST + 5), source], check=True)
    config = CONFIG.format(rate=int(RATE), congestion_control=CONGESTION_CONTROL,
                           guard_rtts=min(100, round(GUARD / round_trip))) + "".join(
        STREAM.format(name=name_of(mode, codec), source=source, codec=codec, policy=mode)
        for mode, codec in lanes())
    complaints = []
    with Netlab(clients=len(lanes()), seed=1000 * run.seed, delay_ms=round_trip / 2) as lab, \
            Daemon("--trace", str(directory / "trace"), directory=directory, lab=lab,
                   config=config, wrapper=NICE) as daemon, Health() as health:
        for client, (_, codec) in enumerate(lanes()):
            queue = max(QUEUE, round_trip / 1000) * LINKS[codec] / 8
            lab.set(client=client, down_rate=int(LINKS[codec]), down_queue=int(queue))
        pictures = _watch(lab, daemon, run, directory, complaints)
        health.finish(lab.counters(), daemon.metrics())
        clients = {lane: lab.clients[client].address for client, lane in enumerate(lanes())}
    sessions = read_sessions(directory / "trace")
    found = {name_of(*lane): _figures(pictures[lane], sessions[clients[lane]],
                                      lane[0] if run.seed == SERIES_SEED else None)
             for lane in lanes()}
    complaints += [f"{name} was not over after {LONGEST} times its length"
                   for name, lane in found.items() if not lane["over"]]
    return {"complaints": complaints + health.complaints(), "cpu": health.cpu, "lanes": found}


def _watch(lab, daemon, run, directory, complaints):
    """{lane: frames that arrived}"""
    viewers = {}
    for client, lane in enumerate(lanes()):
        url = daemon.url(name_of(*lane), ip=lab.clients[client].server_ip)
        viewers[lane] = Viewer(url, lab=lab, client=client, directory=directory,
                               name=name_of(*lane), wrapper=NICE)
    longest = LONGEST * VIDEO_SECONDS
    with CrossTraffic(lab, range(len(lanes())), CROSS_RATE,
                      periods(run.seed, longest, **CROSS)) as cross:
        end = time.monotonic() + longest
        while time.monotonic() < end and not all(map(_is_over, viewers.values())):
            time.sleep(0.5)
    complaints += cross.complaints()
    pictures = {lane: viewer.pictures() for lane, viewer in viewers.items()}
    for lane, viewer in viewers.items():
        try:
            assert_clean(viewer.finish(), name_of(*lane))
        except AssertionError as error:
            complaints.append(str(error))
    return pictures


def _is_over(viewer):
    pictures = viewer.pictures()
    return bool(pictures) and pictures[-1]["pts"] - pictures[0]["pts"] >= VIDEO_SECONDS


def _figures(pictures, session, drawn_mode):
    matches = match_pictures(pictures, session)
    first = matches[0][0]
    video = [(line, picture) for line, picture in matches
             if line["number"] < first["number"] + PICTURES]
    over = matches[-1][0]["number"] >= first["number"] + PICTURES - 1
    seconds = video[-1][1]["arrival_ns"] / 1e9 - first["captured"]
    delays = [picture["arrival_ns"] / 1e9 - line["captured"] for line, picture in video]
    all_delays = [delay for _, delay in picture_delays([picture for _, picture in video], session)]
    events = [line for line in session
              if line["event"] == "congestion" and line["kind"] in ("rexmt", "dupack")
              and line["at"] <= video[-1][1]["arrival_ns"] / 1e9]
    found = {"events": len(events), "came": len(video), "over": over, "seconds": seconds,
             "frames_per_second": PICTURES / seconds,
             "shown_per_second": len(video) / seconds,
             "bits": statistics.mean(line["bits"] for line, _ in video),
             "psnr": [statistics.mean(line["psnr"][plane] for line, _ in video)
                      for plane in range(3)],
             "p50": percentile(all_delays, 50), "p95": percentile(all_delays, 95)}
    if drawn_mode:
        found["quality"] = {"delay": [round(delay, 3) for delay in delays],
                            "psnr": [round(line["psnr"][0], 1) for line, _ in video]}
    if drawn_mode in FOLLOWING:
        start = first["captured"]
        found["rates"] = {"number": [line["number"] - first["number"] for line, _ in video],
                          "target": [round(line["target_bits"] / 1000, 1) for line, _ in video],
                          "kbit": [round(line["bits"] / 1000, 1) for line, _ in video]}
        found["event_times"] = [(round((line["at"] - start) * FRAMES_PER_SECOND, 1), line["kind"])
                                for line in events]
    return found


# Table 3: (events, SNR(Y) in dB, bits per picture, seconds per video, frames per second).
PUBLISHED = {
    "off": {"columbia": (1.6, 23.556, 54673, 112.29, 8.96),
            "princeton": (1.4, 23.556, 54673, 112.42, 8.98),
            "isi": (2.2, 23.556, 54673, 122.71, 8.24), "fokus": (1, 23.556, 54673, 141.76, 7.90),
            "galileo": (2, 23.556, 54673, 157.25, 6.55),
            "average": (1.64, 23.556, 54673, 129.29, 8.13)},
    "itcp": {"columbia": (1.6, 22.512, 50174, 101.36, 9.91),
             "princeton": (1.2, 22.464, 50332, 110.16, 9.23),
             "isi": (1, 20.712, 47695, 107.42, 9.37), "fokus": (2, 21.942, 49737, 115.62, 8.71),
             "galileo": (1.2, 18.423, 36672, 107.59, 9.35),
             "average": (1.4, 21.211, 46922, 108.43, 9.31)}}
COST = 2.35  # dB of SNR(Y) that the paper's iTCP loses
LESS_TIME, MORE_FRAMES = 0.16, 0.15  # its gains
REAL_TIME, SHOWN, LATE = 29.5, 29, 0.3  # frames per second, frames per second that arrived, seconds


class _Found:
    def __init__(self, figures):
        self._figures = figures
        self.sites = [site for site in SITES if any(key.startswith(site) for key in figures)]

    def lanes(self, site, mode, codec):
        """The lane's figures of each seed."""
        return [run["lanes"][name_of(mode, codec)] for key, run in sorted(self._figures.items())
                if key.startswith(f"{site}, ")]

    def values(self, site, mode, codec, what):
        return [what(lane) for lane in self.lanes(site, mode, codec)]

    def median(self, site, mode, codec, what):
        return statistics.median(self.values(site, mode, codec, what))

    def average(self, mode, codec, what):
        """Mean over the sites of the medians over the seeds."""
        return statistics.mean(self.median(site, mode, codec, what) for site in self.sites)

    def by_seed(self, mode, codec, what):
        """The mean over the sites for each seed that all sites have."""
        seeds = [{key.partition(", ")[2] for key in self._figures if key.startswith(f"{site}, ")}
                 for site in self.sites]
        lane = name_of(mode, codec)
        return [statistics.mean(what(self._figures[f"{site}, {seed}"]["lanes"][lane])
                                for site in self.sites)
                for seed in sorted(set.intersection(*seeds))]

    def series(self, mode, codec):
        """{site: lane with series} of the sites that have series."""
        drawn = {site: self._figures.get(f"{site}, seed {SERIES_SEED}") for site in self.sites}
        return {site: run["lanes"][name_of(mode, codec)] for site, run in drawn.items() if run}


MEASURES = {
    "events": ("events", lambda lane: lane["events"], 1),
    "psnr": ("PSNR(Y), dB", lambda lane: lane["psnr"][0], 2),
    "bits": ("bits per picture", lambda lane: lane["bits"], 0),
    "seconds": ("time per video, s", lambda lane: lane["seconds"], 2),
    "frames": ("frames per second", lambda lane: lane["frames_per_second"], 2),
    "came": ("pictures that came", lambda lane: lane["came"], 0),
    "shown": ("per second", lambda lane: lane["shown_per_second"], 2),
    "p50": ("delay p50, ms", lambda lane: 1000 * lane["p50"], 0),
    "p95": ("p95, ms", lambda lane: 1000 * lane["p95"], 0)}


def of(what):
    return MEASURES[what][1]


def report(figures, page):
    found = _Found(figures)
    if not found.sites:
        return
    for codec in CODECS:
        _table_3(found, codec, page)
    _table_4(found, page)
    _claims(found, page)
    for codec in CODECS:
        _figure_3(found, codec, page)
        _figure_4(found, codec, page)


def _table_3(found, codec, page):
    page.heading(f"Table 3, {CODEC_NAMES[codec]}")
    for mode in MODES:
        page.text(f"**{MODE_NAMES[mode]}**" + ("; in square brackets: published"
                                               if mode in PUBLISHED else ""))
        rows = []
        for site in (*found.sites, "average"):
            published = PUBLISHED.get(mode, {}).get(site)
            cells = []
            for index, (key, (_, what, digits)) in enumerate(MEASURES.items()):
                text = f"{found.average(mode, codec, what):.{digits}f}" if site == "average" \
                    else spread(found.values(site, mode, codec, what), digits)
                cells.append(text + (f" [{published[index]:g}]" if published and index < 5 else ""))
            rows.append((f"{site}, {SITES[site]} ms" if site in SITES else site, *cells))
        page.table(("site", *(title for title, _, _ in MEASURES.values())), rows)


def _table_4(found, page):
    page.heading("Table 4: PSNR of Y, U and V with iTCP, each run")
    rows = [(site, codec, ", ".join("/".join(f"{plane:.2f}" for plane in lane["psnr"])
                                    for lane in found.lanes(site, "itcp", codec)))
            for codec in CODECS for site in found.sites]
    apart = [max(lane["psnr"]) - min(lane["psnr"])
             for codec in CODECS for site in found.sites for lane in found.lanes(site, "itcp", codec)]
    page.text(f"Within a run, the planes differ by at most {max(apart, default=0):.2f} dB.")
    page.table(("site", "codec", "Y/U/V, dB"), rows)


def _claims(found, page):
    for codec in CODECS:
        where = CODEC_NAMES[codec]
        off, itcp = ({what: found.by_seed(mode, codec, of(what))
                      for what in ("seconds", "frames", "psnr")} for mode in ("off", "itcp"))
        less = [1 - own / other for own, other in zip(itcp["seconds"], off["seconds"])]
        more = [own / other - 1 for own, other in zip(itcp["frames"], off["frames"])]
        cost = [other - own for own, other in zip(itcp["psnr"], off["psnr"])]
        page.claim(f"iTCP takes less time per video; {where}", "-16 %",
                   f"-{spread([100 * value for value in less], 1)} %",
                   in_most([value >= LESS_TIME for value in less]))
        page.claim(f"iTCP shows more frames per second; {where}", "+15 %",
                   f"+{spread([100 * value for value in more], 1)} %",
                   in_most([value >= MORE_FRAMES for value in more]))
        page.claim(f"at no more than the paper's cost in SNR(Y); {where}", f"{COST} dB",
                   f"{spread(cost)} dB", in_most([value <= COST for value in cost]))
        _claims_of_ours(found, codec, page)


def _claims_of_ours(found, codec, page):
    def everywhere(what, holds, digits):
        """The medians of all sites, and whether the claim holds at each of them."""
        values = [found.values(site, "symbiosis", codec, of(what)) for site in found.sites]
        verdicts = [in_most(map(holds, of_site)) for of_site in values]
        return (", ".join(f"{statistics.median(of_site):.{digits}f}" for of_site in values),
                None if None in verdicts else all(verdicts))

    where = CODEC_NAMES[codec]
    frames, real_time = everywhere("frames", lambda value: value >= REAL_TIME, 1)
    shown, enough = everywhere("shown", lambda value: value >= SHOWN, 1)
    page.claim("`symbiosis` is in real time on every round trip, and at least "
               f"{SHOWN} of {FRAMES_PER_SECOND} pictures per second come; {where}",
               "not in the paper", f"{frames} frames/s; came: {shown}",
               None if None in (real_time, enough) else real_time and enough)
    p95, in_time = everywhere("p95", lambda value: value < 1000 * LATE, 0)
    page.claim(f"`symbiosis` has 95 % of all pictures there within {1000 * LATE:.0f} ms; {where}",
               "not in the paper", f"{p95} ms", in_time)


def _figure_3(found, codec, page):
    """Target and output per frame."""
    series = {mode: found.series(mode, codec) for mode in FOLLOWING}
    sites = list(series["itcp"])
    if not sites:
        return
    page.heading(f"Figures 3 and 4, {CODEC_NAMES[codec]}, seed {SERIES_SEED}")
    with page.plot(f"rate-{codec}", "Bits of each picture asked for and made; lines at congestion "
                   "events (red: retransmission timer, grey: third duplicate acknowledgement)",
                   rows=len(sites), columns=2, size=(12, 2.2 * len(sites)), sharex=True,
                   sharey=True, squeeze=False) as axes:
        for row, site in zip(axes, sites):
            for axis, mode in zip(row, FOLLOWING):
                lane = series[mode][site]
                rates = lane["rates"]
                axis.plot(rates["number"], rates["kbit"], ".", markersize=1.5, label="made")
                axis.plot(rates["number"], rates["target"], drawstyle="steps-post", linewidth=1,
                          label="asked for")
                for at, kind in lane["event_times"]:
                    axis.axvline(at, linewidth=0.5, color="red" if kind == "rexmt" else "grey")
                axis.set_title(f"{site} ({SITES[site]} ms), {MODE_NAMES[mode]}", fontsize=9)
            row[0].set_ylabel("kbit")
        axes[0][0].set_ylim(0, 120)
        axes[0][0].legend(fontsize=7)
        for axis in axes[-1]:
            axis.set_xlabel("picture")


def _figure_4(found, codec, page):
    """Quality against delay."""
    series = {mode: found.series(mode, codec) for mode in MODES}
    sites = list(series["itcp"])
    if not sites:
        return
    with page.plot(f"quality-{codec}", "Each picture's delay (capture to arrival, s) and PSNR(Y)",
                   columns=len(sites), size=(2.6 * len(sites), 3.2), sharey=True,
                   squeeze=False) as axes:
        for axis, site in zip(axes[0], sites):
            for mode in MODES:
                quality = series[mode][site]["quality"]
                axis.plot(quality["delay"], quality["psnr"], ".", markersize=1.5,
                          label=MODE_NAMES[mode])
            axis.set_xscale("log")
            axis.set_title(f"{site} ({SITES[site]} ms)", fontsize=9)
        axes[0][0].set_ylabel("PSNR(Y), dB")
        axes[0][-1].legend(fontsize=7, markerscale=5)


CODEC_NAMES = {"mpeg2": "MPEG-2", "h264": "H.264"}
MODE_NAMES = {"off": "off", "itcp": "iTCP", "symbiosis": "symbiosis"}

EXPERIMENT = Experiment(
    name="itcp",
    title="iTCP: an encoder that hears of retransmissions",
    paper="Khan, Zaghal 2003, *Performance analysis of TCP Interactive based world wide video "
          "streaming over ABone: symbiotic control and video quality* (Kent State University)",
    hypothesis="""
An encoder that receives its connection's retransmissions, and cuts its rate to 0.55 at each, delivers
the same frames in less time than one without this feedback, for a little quality. `symbiosis`, which
follows the capacity of the connection, delivers them as they are captured.""",
    method=f"""
A stored video of {PICTURES} pictures, 176x120 at {FRAMES_PER_SECOND} frames/s, is transcoded live at
{RATE / 1e6:g} Mbit/s by symcast, as MPEG-2 (libavcodec's mpeg2video) and as H.264 (x264), and sent
over links of {LINKS["mpeg2"] / 1e6:g} and {LINKS["h264"] / 1e6:g} Mbit/s (x264 fills
its rate better), with a queue of {1000 * QUEUE:.0f} ms, or a round trip where that is longer, and the
paper's five round trips: a link, a stream and an encoder each for the policies `off`, `itcp` (retraction
0.55) and `symbiosis`, all six in one run. Beside each viewer, on its link, {CROSS_RATE / 1e6:g} Mbit/s of
datagrams come and go at the same moments, by the seed: for {CROSS["mean_length"]} s on average, with
pauses of {CROSS["mean_pause"]} s. All sockets are on Reno, as FreeBSD was. The video's pictures are a zoom into
a fractal under film grain, so that they always take the whole rate. The server queues up to 30 s for a
viewer, so that `off` and `itcp` lose nothing. PSNR is measured in the encoder, of every picture;
arrivals are those of the last byte at the viewer. *Time per video*: from the first picture's capture
to the last one's arrival. *Frames per second*: the video's pictures by that time, as in the paper,
though some may never have come: *pictures that came*, and those *per second*. A picture that never
came is late, in *p50* and *p95*, until the next one that did. Events: REXMT and DUPACK, from the
kernel. Medians over the seeds, least and most in brackets; *average*: of the sites' medians.""",
    differences=(
        "the paper's transcoder got 8 to 9 frames/s through, from a stored video that could wait; "
        "ours is live at 30, so that what is late queues",
        "PSNR in place of SNR: of the same pictures they differ by a constant, so that differences "
        "compare",
        "the capacity of the paper's path and its other traffic are not known. The links' rates and "
        "the datagrams' are chosen so that the rest carries 0.55 of the rate. 1 to 2 events per "
        "video in the paper, more here",
        "lazy binary back-off: the paper gives its name and 0.55. Here events within as many smoothed "
        f"round trips after a cut as make {GUARD / 1000:g} s without a queue belong to it; the first step "
        "up comes after 0.5 s of quiet, doubling to 1 s, then a quarter of the rate each 0.5 s. Quiet "
        "is also that the server has little unsent, which the paper's transcoder did not ask for",
        "emulated paths in place of five hosts of the ABone; their round trips"),
    runs=runs, measure=measure, report=report, testbeds=("links", "player"), at_once=2)

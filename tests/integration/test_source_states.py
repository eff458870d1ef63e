"""Health check, status page, API, events, metrics and the player page, on a desktop and on a phone, tell the
same of a source, in ten kinds of trouble, and it is true."""

import datetime
import json
import re
import signal
import socket
import subprocess

import pytest

from netlab.browser.chromium import BADGE, PAGE_PLAYS, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until
from tests.integration.conftest import QUICK

PATIENCE = 60  # seconds
AWAY = {"connecting", "waiting"}
PICTURE = ["-f", "lavfi", "-i", "testsrc2=s=192x108:r=25"]
SOUND = ["-f", "lavfi", "-i", "sine"]
SILENCE = datetime.timedelta(seconds=6)  # longer than what is still under way when a sender ends
CLOCK_STEP = datetime.timedelta(milliseconds=10)  # the system's clock may be adjusted during a test
SIZES = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
AWAY_METRIC = "symcast_source_away_since_timestamp_seconds"
NOTE = "document.getElementById('away')"
# Texts that a viewer cannot read, and whether the page is wider than the screen.
FLAWS = """(() => {
    const all = document.querySelectorAll('#away, #message, #sound, #start, #streams label, .top button');
    const shown = [...all].filter((part) => part.checkVisibility())
        .map((part) => ({ text: part.textContent, box: part.getBoundingClientRect() }));
    const inside = ({ left, right, top, bottom }) =>
        left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const covered = (one, index) => shown.slice(index + 1).some((other) => meet(one.box, other.box));
    return {
        outside: shown.filter(({ box }) => !inside(box)).map(({ text }) => text),
        covered: shown.filter(covered).map(({ text }) => text),
        sideways: document.documentElement.scrollWidth > innerWidth,
        tabs: document.querySelectorAll('#streams label').length,
    };
})()"""
CODE = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac"]


# Sends again after it has lost its connection, as OBS does: a busy machine may hold it up for so long that the
# server ends it.
AGAIN = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", 'while :; do "$@"; sleep 0.2; done', "sh"]


def ffmpeg(*words, wrapper=()):
    return subprocess.Popen([*wrapper, "setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", *words],
                            stdin=subprocess.DEVNULL)


def udp(port):
    return f"udp://127.0.0.1:{port}"


class Troubles:
    """One stream for each kind of trouble, and a sender for those that need one."""

    def __init__(self, folder):
        ports = {name: free_port(socket.SOCK_DGRAM)
                 for name in ("silent", "stopped", "paused", "garbage", "sound", "publisher", "nobody")}
        (folder / "text.mp4").write_text("this is no film\n" * 1000)
        self.sources = {
            "missing-file": f"file:{folder}/nothing.mp4",
            "no-film": f"file:{folder}/text.mp4",
            "no-such-host": "rtsp://no-such-host.invalid/live",
            "refused": f"rtsp://127.0.0.1:{free_port()}/live",
            "silent": udp(ports["silent"]),
            "nobody": f"srt://:{ports['nobody']}",
            "garbage": udp(ports["garbage"]),
            "sound": udp(ports["sound"]),
            "stopped": udp(ports["stopped"]),
            "paused": udp(ports["paused"]),
            "publisher": f"srt://:{ports['publisher']}",
            "fine": "test:?size=192x108&fps=15",
        }
        self._ports = ports
        self.senders = {}

    def send(self):
        ports = self._ports
        mpegts = ["-f", "mpegts"]
        for name in ("stopped", "paused"):
            self.senders[name] = ffmpeg(*PICTURE, *CODE, *mpegts, udp(ports[name]))
        self.senders["publisher"] = ffmpeg(*PICTURE, *CODE, *mpegts, f"srt://127.0.0.1:{ports['publisher']}",
                                           wrapper=AGAIN)
        self.senders["sound"] = ffmpeg(*SOUND, *CODE, *mpegts, udp(ports["sound"]))
        self.senders["garbage"] = ffmpeg("-f", "lavfi", "-i", "anoisesrc", "-f", "s16le",
                                         udp(ports["garbage"]))

    def end(self):
        for sender in self.senders.values():
            sender.kill()
            sender.wait()


@pytest.fixture(scope="module")
def browser(needs_chromium):
    with Browser() as browser:
        yield browser


@pytest.fixture
def visit(browser, server):
    """visit(name) -> the stream's page on a desktop and on a phone; they are closed after the test."""
    pages = []

    def go(name):
        pages.extend(browser.open(origin(server), f"/#{name}", viewport=size) for size in SIZES)
        return pages

    yield go
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def troubles(tmp_path_factory):
    all_of_them = Troubles(tmp_path_factory.mktemp("sources"))
    yield all_of_them
    all_of_them.end()


@pytest.fixture(scope="module")
def server(tmp_path_factory, troubles):
    sources = [word for name, uri in troubles.sources.items() for word in ("--source", f"{name}={uri}")]
    with Daemon(*sources, directory=tmp_path_factory.mktemp("server"), config=QUICK,
                sources_play=False) as daemon:
        troubles.send()
        yield daemon


def first_event(server):
    with socket.create_connection((server.ip, server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        lines = connection.makefile()
        return json.loads(next(line for line in lines if line.startswith("data: "))[len("data: "):])


def offered(server, name):
    """The stream in /api/v1/streams."""
    return {s["name"]: s for s in json.loads(server.get("/api/v1/streams")[2])["streams"]}[name]


def told(server, name):
    """{surface: state of the source}."""
    metrics = server.metrics()
    status = server.get("/status")[2].decode()
    return {
        "health": re.search(rf"^{name} (\w+)$", server.get("/healthz")[2].decode(), re.M)[1],
        "status": re.search(rf"<h2>{name}</h2>.*?source (\w+)", status, re.S)[1],
        "streams": offered(server, name)["state"],
        "events": {s["name"]: s["state"] for s in first_event(server)["streams"]}[name],
        "metrics": [labels["status"] for metric, labels, value in metrics.samples
                    if metric == "symcast_source_status" and labels["stream"] == name and value == 1][0],
    }


def agree(server, name, states):
    """Waits until all surfaces say one of `states`. The states of an attempt alternate, so that surfaces
    which are read after one another may differ."""
    def all_of_them():
        surfaces = told(server, name)
        return set(surfaces.values()) <= states and surfaces

    try:
        wait_until(all_of_them, PATIENCE, f"{name} is one of {states}")
    except AssertionError as error:
        raise AssertionError(told(server, name)) from error


def moment(text):
    return datetime.datetime.fromisoformat(text)


def away_since(server, name):
    """The moment, which API, events, status page and metrics agree on."""
    def dates():
        page = server.get("/status")[2].decode()
        status = re.search(rf"<h2>{name}</h2>.*?away since ([0-9T:.-]+Z)", page, re.S)
        metric = server.metrics().all(AWAY_METRIC, stream=name)
        event = {s["name"]: s["away_since"] for s in first_event(server)["streams"]}[name]
        api = offered(server, name)["away_since"]
        return status and metric and event and api and [
            moment(status[1]), datetime.datetime.fromtimestamp(metric[0], datetime.UTC), moment(event),
            moment(api)]

    def agreed():
        found = dates()
        return found and max(found) - min(found) < CLOCK_STEP and found

    return wait_until(agreed, PATIENCE, f"{name} is away since the same moment everywhere")[-1]


def until_it_has_stopped(server, name):
    """On a busy machine, a source may stall and send a last picture before it stops."""
    def silence():
        return moment(server.get("/api/v1/time")[2].decode()) - moment(offered(server, name)["last_picture"])

    wait_until(lambda: silence() > SILENCE, PATIENCE, f"{name} has sent no picture for {SILENCE}")


def local(page, time):
    """`time`, as the viewer reads it; two texts where the server's clock may have been adjusted."""
    times = (time - CLOCK_STEP, time, time + CLOCK_STEP)
    return [page.evaluate(f"new Date('{at.isoformat()}').toLocaleTimeString()") for at in times]


def reads(server, page, texts):
    """Waits until the note over the video is one of `texts`; all texts and tabs are in sight."""
    page.until(f"{json.dumps(texts)}.includes({NOTE}.textContent) && !{NOTE}.hidden")
    streams = len(json.loads(server.get("/api/v1/streams")[2])["streams"])
    assert page.evaluate(FLAWS) == {"outside": [], "covered": [], "sideways": False, "tabs": streams}


def away_texts(page, since, last=None, connected=False, trouble=""):
    connected = ", but is still connected" if connected else ""
    lasts = [f"Last picture: {time}." for time in local(page, last)] if last else ["No picture has come yet."]
    return [f"The source has been away since {time}{connected}.\n{end}{trouble}"
            for time in local(page, since) for end in lasts]


@pytest.mark.parametrize("name, trouble", [
    ("missing-file", ""), ("no-film", ""), ("no-such-host", ""), ("refused", ""), ("silent", ""),
    ("nobody", ""), ("garbage", "\nA sender is sending data that is not a stream."),
])
def test_a_source_that_never_had_a_picture_is_away(server, visit, name, trouble):
    agree(server, name, AWAY)
    assert offered(server, name)["last_picture"] is None
    assert server.get(f"/{name}.ts")[0] == 503
    assert server.metrics().all("symcast_source_last_picture_timestamp_seconds", stream=name) == []
    since = away_since(server, name)
    for page in visit(name):
        reads(server, page, away_texts(page, since, trouble=trouble))
    assert abs(away_since(server, name) - since) < CLOCK_STEP, "whatever it has tried"


def test_audio_plays_with_black_pictures(server, visit):
    def audio_only():
        trouble = server.metrics().sum("symcast_source_trouble", stream="sound", trouble="audio_only")
        return trouble == 1 and offered(server, "sound")["troubles"] == ["audio_only"]

    agree(server, "sound", {"playing"})
    wait_until(audio_only, PATIENCE, "metrics and API say that only audio arrives")  # also after a restart
    for page in visit("sound"):
        page.until(PAGE_PLAYS)
        reads(server, page, ["The source sends only audio."])
        page.until(f"{BADGE} === 'Live'")


def test_a_source_that_plays(server, visit):
    agree(server, "fine", {"playing"})
    stream = offered(server, "fine")
    assert stream["last_picture"] is not None and stream["away_since"] is None
    assert server.metrics().all(AWAY_METRIC, stream="fine") == []
    for page in visit("fine"):
        page.until(PAGE_PLAYS)
        page.until(f"{NOTE}.hidden && {BADGE} === 'Live'")


@pytest.mark.parametrize("name, trouble, after", [
    ("stopped", signal.SIGKILL, {"stalled"} | AWAY),
    ("publisher", signal.SIGKILL, {"stalled"} | AWAY),
    ("paused", signal.SIGSTOP, {"stalled"} | AWAY),
])
def test_a_source_that_stops_is_away(server, troubles, visit, name, trouble, after):
    """The page shows it, too, and that it plays again."""
    agree(server, name, {"playing"})
    pages = visit(name)
    for page in pages:
        page.until(PAGE_PLAYS)
        page.until(f"{NOTE}.hidden && {BADGE} === 'Live'")
    troubles.senders[name].send_signal(trouble)
    until_it_has_stopped(server, name)
    agree(server, name, after)
    since, last = away_since(server, name), moment(offered(server, name)["last_picture"])
    assert last < since
    for page in pages:
        reads(server, page, [*away_texts(page, since, last), *away_texts(page, since, last, connected=True)])
        page.until(f"{BADGE} === 'Away'")
        page.until("document.getElementById('latency').textContent === '–'")
    still = moment(offered(server, name)["last_picture"])
    assert abs(still - last) < CLOCK_STEP, "it does not change while no picture arrives"
    if trouble == signal.SIGSTOP:
        troubles.senders[name].send_signal(signal.SIGCONT)
        agree(server, name, {"playing"})
        for page in pages:
            page.until(f"{NOTE}.hidden && {BADGE} === 'Live'")

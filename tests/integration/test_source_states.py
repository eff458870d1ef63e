"""Health check, status page, API, events, metrics and the player page tell the same of a source, in ten
kinds of trouble, and it is true."""

import json
import re
import signal
import socket
import subprocess

import pytest

from netlab.browser.chromium import PAGE_PLAYS, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until
from tests.integration.conftest import QUICK

PATIENCE = 60  # seconds
AWAY = {"connecting", "waiting"}
PICTURE = ["-f", "lavfi", "-i", "testsrc2=s=192x108:r=25"]
SOUND = ["-f", "lavfi", "-i", "sine"]
CODE = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac"]


def ffmpeg(*words):
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", *words],
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
        self.senders["publisher"] = ffmpeg(*PICTURE, *CODE, *mpegts, f"srt://127.0.0.1:{ports['publisher']}")
        self.senders["sound"] = ffmpeg(*SOUND, *CODE, *mpegts, udp(ports["sound"]))
        self.senders["garbage"] = ffmpeg("-f", "lavfi", "-i", "anoisesrc", "-f", "s16le",
                                         udp(ports["garbage"]))

    def end(self):
        for sender in self.senders.values():
            sender.kill()
            sender.wait()


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


def told(server, name):
    """{surface: state of the source}."""
    metrics = server.metrics()
    status = server.get("/status")[2].decode()
    return {
        "health": re.search(rf"^{name} (\w+)$", server.get("/healthz")[2].decode(), re.M)[1],
        "status": re.search(rf"<h2>{name}</h2>.*?source (\w+)", status, re.S)[1],
        "streams": {s["name"]: s["state"] for s in json.loads(server.get("/api/v1/streams")[2])["streams"]}[name],
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


def last_picture(server, name):
    return {s["name"]: s["last_picture"]
            for s in json.loads(server.get("/api/v1/streams")[2])["streams"]}[name]


@pytest.mark.parametrize("name", ["missing-file", "no-film", "no-such-host", "refused", "silent", "nobody",
                                  "garbage"])
def test_a_source_that_never_had_a_picture_is_away(server, name):
    agree(server, name, AWAY)
    assert last_picture(server, name) is None
    assert server.get(f"/{name}.ts")[0] == 503
    assert server.metrics().all("symcast_source_last_picture_timestamp_seconds", stream=name) == []


def test_audio_plays_with_black_pictures(server):
    agree(server, "sound", {"playing"})
    assert server.metrics().sum("symcast_source_trouble", stream="sound", trouble="audio_only") == 1
    assert {s["name"]: s["troubles"]
            for s in json.loads(server.get("/api/v1/streams")[2])["streams"]}["sound"] == ["audio_only"]


def test_a_source_that_plays(server):
    agree(server, "fine", {"playing"})
    assert last_picture(server, "fine") is not None


def test_the_page_says_that_only_audio_arrives(server, needs_chromium):
    agree(server, "sound", {"playing"})
    with Browser() as browser:
        page = browser.open(origin(server), "/sound")
        page.until(PAGE_PLAYS)
        page.until("document.getElementById('away').textContent === 'The source sends only audio.'")
        assert page.evaluate("document.getElementById('badge-text').textContent") == "Live"


@pytest.mark.parametrize("name, trouble, after", [
    ("stopped", signal.SIGKILL, {"stalled"} | AWAY),
    ("publisher", signal.SIGKILL, {"stalled"} | AWAY),
    ("paused", signal.SIGSTOP, {"stalled"} | AWAY),
])
def test_a_source_that_stops_is_away(server, troubles, needs_chromium, name, trouble, after):
    """The page shows it, too, on a desktop and on a phone, and that it plays again."""
    agree(server, name, {"playing"})
    with Browser() as browser:
        pages = [browser.open(origin(server), f"/{name}", viewport={"width": width, "height": 800})
                 for width in (1280, 390)]
        for page in pages:
            page.until(PAGE_PLAYS)
            assert page.evaluate("document.getElementById('away').hidden")
            assert page.evaluate("document.getElementById('badge-text').textContent") == "Live"
        troubles.senders[name].send_signal(trouble)
        agree(server, name, after)
        last = last_picture(server, name)
        for page in pages:
            page.until("!document.getElementById('away').hidden")
            assert page.do("text", selector="#away")[0].startswith("The source ")
            assert page.evaluate("document.getElementById('badge-text').textContent") == "Away"
            page.until("document.getElementById('latency').textContent === '–'")
        assert last_picture(server, name) == last, "it does not change while no picture arrives"
        if trouble == signal.SIGSTOP:
            troubles.senders[name].send_signal(signal.SIGCONT)
            agree(server, name, {"playing"})
            for page in pages:
                page.until("document.getElementById('away').hidden")
                page.until("document.getElementById('badge-text').textContent === 'Live'")

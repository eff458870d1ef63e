"""The HTTP API: the list of streams, and events for dashboards."""

import contextlib
import datetime
import http.client
import io
import json
import socket
import subprocess
import time

from netlab.daemon import REPLY_SECONDS, free_port, wait_until
from netlab.network import Netlab
from netlab.viewer import frames_left_out
from tests.integration.conftest import KEEP_GROUPS, SMALL
from tests.integration.segment_requests import HlsPlayer, wait_for_frames

STATES = "/api/v1/events"
BEGAN = datetime.datetime.now(datetime.UTC)


def lines_of(viewer):
    return f"/api/v1/viewers/{viewer}/events"


def trace_of(**what):
    return "/api/v1/trace?" + "&".join(f"{key}={value}" for key, value in what.items())


class Events:
    """A text/event-stream, or JSON lines, read as it arrives."""

    def __init__(self, daemon, path):
        self._connection = http.client.HTTPConnection(daemon.ip, daemon.port, timeout=REPLY_SECONDS)
        self._connection.request("GET", path)
        response = self._connection.getresponse()
        self.status, self.headers = response.status, response.headers
        self._input = io.TextIOWrapper(response, encoding="utf-8", newline="\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._input.close()
        self._connection.close()

    def __iter__(self):
        """(name, data) of each event, to the end."""
        while name := self._input.readline():
            if name.startswith("{"):
                line = json.loads(name)
                yield line["event"], line
                continue
            data, end = self._input.readline(), self._input.readline()
            assert name.startswith("event: ") and data.startswith("data: ") and end == "\n"
            yield name.split()[1], json.loads(data[len("data: "):])

    def until(self, condition, seconds=60):
        """All events up to the first one for which condition(name, data) is true."""
        deadline, seen = time.monotonic() + seconds, []
        for event in self:
            seen.append(event)
            if condition(*event):
                return seen
            assert time.monotonic() < deadline, f"not within {seconds} s"
        raise AssertionError("the events have ended")

    def take(self, count):
        return [event for _, event in zip(range(count), self)]


@contextlib.contextmanager
def watcher(daemon):
    """A viewer that is only a socket reading /live.ts; the `with` block begins once it is admitted."""
    with socket.create_connection((daemon.ip, daemon.port), timeout=REPLY_SECONDS) as connection:
        connection.sendall(b"GET /live.ts HTTP/1.1\r\nHost: x\r\nUser-Agent: plain/1.0\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        yield connection


def streams(daemon):
    status, headers, body = daemon.get("/api/v1/streams")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    return json.loads(body)


def test_streams_say_how_they_can_be_watched(small):
    wait_for_frames(small)
    found = streams(small)
    assert found["admin"] is True
    assert found["version"]
    stream, = found["streams"]
    began = datetime.datetime.fromisoformat(stream.pop("began"))
    last = datetime.datetime.fromisoformat(stream.pop("last_picture"))
    assert BEGAN - datetime.timedelta(seconds=2) < began < last < datetime.datetime.now(datetime.UTC)
    assert stream == {
        "name": "live", "state": "playing", "troubles": [], "away_since": None, "width": 320, "height": 180,
        "frame_rate": 30, "video_codec": None, "audio_codec": "mp4a.40.2",
        "rate": {"min": 100_000, "max": 5_000_000},
        "formats": ["ts", "flv", "mp4", "hls", "dash"]}


def test_a_list_waits_for_the_next_change(serve):
    """The source ends, and the events tell it as well, without another request."""
    port = free_port(socket.SOCK_DGRAM)
    daemon = serve("--source", f"live=udp://127.0.0.1:{port}", sources_play=False)
    sender = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", "-f", "lavfi", "-i",
         "testsrc2=s=192x108:r=25", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-f", "mpegts",
         f"udp://127.0.0.1:{port}"], stdin=subprocess.DEVNULL)
    try:
        wait_until(lambda: streams(daemon)["streams"][0]["state"] == "playing", 60, "it plays")
        assert streams(daemon)["streams"][0]["away_since"] is None
        with Events(daemon, STATES) as events:
            events.until(lambda _, state: state["streams"][0]["state"] == "playing")
            sender.kill()
            told = None
            while not told or not told["streams"][0]["away_since"]:
                revision = (told or streams(daemon))["revision"]
                told = json.loads(daemon.get(f"/api/v1/streams?after={revision}")[2])
            state = events.until(lambda _, state: state["streams"][0]["away_since"])[-1][1]
        away, = told["streams"]
        assert away["state"] != "playing" and away["away_since"] > away["last_picture"]
        assert state["streams"][0]["state"] != "playing"
        later = json.loads(daemon.get(f"/api/v1/streams?after={told['revision'] - 1}")[2])
        assert later["revision"] >= told["revision"], "it does not wait for a change that has been"
    finally:
        sender.kill()
        sender.wait()


def test_the_codec_is_known_after_the_first_viewer(small, view):
    view(small.url()).receive(1)
    codec = wait_until(lambda: streams(small)["streams"][0]["video_codec"], 30, "the codec")
    assert codec.startswith("avc3.64")


def test_mpeg2_is_offered_in_ts_only(serve):
    daemon = serve("--source", SMALL, config='[encoder]\ncodec = "mpeg2"\n')
    stream, = streams(daemon)["streams"]
    assert (stream["video_codec"], stream["formats"]) == (None, ["ts"])


def test_an_unavailable_source_has_no_size(serve):
    daemon = serve("--source", "live=file:/nowhere.mp4", sources_play=False)
    stream, = streams(daemon)["streams"]
    assert (stream["width"], stream["frame_rate"]) == (None, None)
    with Events(daemon, STATES) as events:
        events.until(lambda _, state: state["streams"][0]["error"])


def test_states_arrive_unasked(shared):
    begin = time.monotonic()
    with Events(shared, STATES) as events:
        assert events.status == 200
        assert events.headers["Content-Type"] == "text/event-stream"
        assert events.headers["Cache-Control"] == "no-store"
        states = events.take(4)
    assert {name for name, _ in states} == {"state"}
    times = [state["at"] for _, state in states]
    assert times == sorted(times) and times[0] < times[-1] < time.monotonic()
    # They are due every 500 ms, and one that is late does not delay the next.
    assert time.monotonic() - begin > 0.5 * (len(times) - 2)


def test_a_state_lists_the_viewers(small):
    begin = time.monotonic()
    with watcher(small), Events(small, STATES) as events:
        state = events.until(lambda _, state: state["viewers"] and
                             state["viewers"][0]["bytes_sent"] > 0)[-1][1]
        viewer, = state["viewers"]
        assert (viewer["id"], viewer["stream"], viewer["format"]) == (1, "live", "ts")
        assert (viewer["address"], viewer["user_agent"]) == ("127.0.0.1", "plain/1.0")
        assert viewer["cwnd"] > 0
        assert begin < viewer["connected"] < state["at"]
        assert state["viewers_total"] == state["streams"][0]["viewers"] == 1
        group, = state["streams"][0]["groups"]
        assert (group["index"], group["viewers"], group["closing"]) == (viewer["group"], 1, False)


def test_viewers_beyond_the_limit_count_in_the_total(serve):
    daemon = serve("--source", SMALL, config="[metrics]\nmax_viewers = 1\n")
    with watcher(daemon), watcher(daemon), Events(daemon, STATES) as events:
        state = events.until(lambda _, state: state["viewers_total"] == 2 and
                             state["viewers"])[-1][1]
        assert len(state["viewers"]) == 1


def test_a_viewers_events_arrive_while_it_watches(serve, view):
    daemon = serve("--source", SMALL, config=KEEP_GROUPS)
    player = view(daemon.url())
    daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, 30, "the viewer is admitted")
    with Events(daemon, lines_of(1)) as events:
        seen = events.until(lambda name, _: name == "decision")
        assert seen[0][0] == "join" and seen[0][1]["viewer"] == 1
        seen += events.until(lambda name, line: name == "sample" and line["rate"])
        served = seen[-1][1]
        assert served["served"] > 0 and served["cwnd"] > 0 and served["behind_live"] > 0
        for _ in range(30):
            seen += events.until(lambda name, _: name == "frame")
        player.finish()
        seen += events.until(lambda name, _: name == "leave")
        assert list(events) == [], "the response ends with the viewer"
    assert daemon.get(lines_of(1))[0] == 404
    assert all(line["event"] == name for name, line in seen)
    check_frames([line["number"] for name, line in seen if name == "frame"], daemon.metrics())
    samples = [line["at"] for name, line in seen if name == "sample"]
    assert samples[-1] - samples[0] > 0.1 * (len(samples) - 2), "ten samples per second at most"


def check_frames(numbers, metrics):
    """Each frame has one line, except those that the server counted as left out."""
    assert all(before < after for before, after in zip(numbers, numbers[1:]))
    missing = numbers[-1] - numbers[0] + 1 - len(numbers)
    assert missing <= (frames_left_out(metrics) + metrics.sum("symcast_event_lines_dropped_total") +
                       metrics.sum("symcast_viewer_frames_untracked_total"))


def test_several_clients_follow_one_viewer(small):
    with watcher(small) as viewer:
        with Events(small, lines_of(1)) as one, Events(small, lines_of(1)) as other:
            for events in (one, other):
                assert events.take(1)[0][0] == "join"
            one.__exit__()
            other.until(lambda name, line: name == "sample")
            viewer.close()
            assert list(other)[-1][0] == "leave"


def open_traces(daemon):
    [count] = daemon.metrics().all("symcast_traces_open")
    return count


def test_a_viewer_is_traced_while_the_server_runs(serve, view):
    """Although no trace directory is configured, and with curl, as an operator does it."""
    daemon = serve("--source", SMALL, config=KEEP_GROUPS)
    player = view(daemon.url())
    daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, 30, "the viewer is admitted")
    url = f"http://{daemon.ip}:{daemon.port}{trace_of(viewer=1)}"
    traced = subprocess.run(f"curl -sN '{url}' | head -200", shell=True, capture_output=True, text=True,
                            timeout=120, check=True).stdout
    lines = [json.loads(line) for line in traced.splitlines()]
    assert [line["event"] for line in lines[:2]] == ["trace", "join"]
    assert datetime.datetime.fromisoformat(lines[0]["wall"]) > BEGAN
    assert len(lines) == 200
    assert {line["viewer"] for line in lines[1:]} == {1}
    assert {"frame", "sample"} <= {line["event"] for line in lines}
    check_frames([line["number"] for line in lines if line["event"] == "frame"], daemon.metrics())
    wait_until(lambda: open_traces(daemon) == 0, 60, "the trace is off when curl has gone")
    assert daemon.log().count("trace_began") == 1
    with Events(daemon, trace_of(viewer=1)) as trace:
        assert trace.headers["Content-Type"] == "application/x-ndjson"
        trace.take(3)
        assert open_traces(daemon) == 1
        player.finish()
        trace.until(lambda name, _: name == "leave")
        assert list(trace) == [], "the response ends with the viewer"


def test_a_stream_is_traced_with_the_viewers_that_come(serve):
    daemon = serve("--source", SMALL, "--source", SMALL.replace("live", "other"))
    with Events(daemon, trace_of(stream="live")) as trace:
        seen = trace.take(1)
        assert seen[0][0] == "trace", "also while nobody watches"
        with watcher(daemon):
            seen += trace.until(lambda name, _: name == "frame")
            with HlsPlayer(daemon, stream="other") as other, HlsPlayer(daemon) as player:
                other.playlist("auto")
                player.playlist("auto")
                seen += trace.until(lambda name, _: name == "join")
                number = seen[-1][1]["viewer"]
                seen += trace.until(lambda name, line: name == "sample" and line["viewer"] == number)
        seen += trace.until(lambda name, line: name == "leave" and line["viewer"] == seen[1][1]["viewer"])
        with watcher(daemon):
            seen += trace.until(lambda name, _: name == "join")
    assert [line["stream"] for name, line in seen if name == "join"] == ["live"] * 3
    wait_until(lambda: open_traces(daemon) == 0, 60, "it is off")


def test_a_wrong_trace_says_how_to_ask(small):
    for query, status, cure in (("", 400, b"?viewer=ID"), ("?viewer=x", 400, b"/api/v1/events"),
                                ("?viewer=1&stream=live", 400, b"either"), ("?viewer=9", 404, b"/api/v1/events"),
                                ("?stream=lvie", 404, b'"live"')):
        answered, _, body = small.get("/api/v1/trace" + query)
        assert (answered, body.count(b"\n")) == (status, 1) and cure in body, body


def test_a_few_traces_may_be_open(small):
    with contextlib.ExitStack() as traces:
        for _ in range(4):
            assert traces.enter_context(Events(small, trace_of(stream="live"))).status == 200
        status, headers, body = small.get(trace_of(stream="live"))
        assert (status, b"end one" in body) == (503, True)
        assert headers["Retry-After"]
    wait_until(lambda: open_traces(small) == 0, 60, "all are off")


def test_an_unknown_viewer_is_404(small):
    for path in (lines_of(1), lines_of("x"), "/api/v1/viewers/"):
        assert small.get(path)[0] == 404


def test_head_has_the_headers_and_no_body(small):
    status, headers, body = small.request("HEAD", STATES)
    assert (status, headers["Content-Type"], body) == (200, "text/event-stream", b"")


def test_events_are_for_admins_only(serve, needs_lab):
    with Netlab() as lab:
        daemon = serve("--source", SMALL, lab=lab)
        client = {"netns": lab.clients[0].netns, "ip": lab.server_ip}
        for path in (STATES, lines_of(1), trace_of(viewer=1), trace_of(stream="live")):
            status, _, body = daemon.get(path, **client)
            assert status == 403
            assert body.count(b"\n") == 1 and b"admin.allow" in body
        status, _, body = daemon.get("/api/v1/streams", **client)
        assert (status, json.loads(body)["admin"]) == (200, False)
        daemon.__exit__(None)


def test_the_server_stops_with_dashboards_that_read_and_that_do_not(serve):
    daemon = serve("--source", SMALL, config='[server]\nstall_timeout = "1h"\n')
    with (watcher(daemon), Events(daemon, STATES) as states, Events(daemon, lines_of(1)) as lines,
          Events(daemon, STATES), Events(daemon, lines_of(1)), Events(daemon, trace_of(stream="live"))):
        states.take(2)
        lines.take(20)
        daemon.end()
        assert daemon.process.returncode == 0

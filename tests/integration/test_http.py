"""HTTP: which requests get which response."""

import socket
import subprocess

import pytest

from netlab.daemon import REPLY_SECONDS, wait_until
from netlab.network import Netlab
from netlab.viewer import assert_clean
from tests.integration.conftest import SMALL


def test_unknown_stream_is_404(shared):
    status, _, body = shared.get("/nothing.ts")
    assert status == 404
    assert body.strip(), "the body states the reason"


def test_other_methods_are_405(shared):
    status, headers, _ = shared.request("POST", "/live.ts")
    assert status == 405
    assert "GET" in headers["Allow"]


def test_long_header_is_431(shared):
    assert shared.get("/healthz", headers={"Cookie": "x" * 10000})[0] == 431


def test_a_viewer_beyond_max_viewers_is_503(serve, view):
    daemon = serve("--source", SMALL, config="[server]\nmax_viewers = 1\n")
    first = view(daemon.url())
    daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, 30, "the first is admitted")
    status, _, body = daemon.get("/live.ts")
    assert status == 503
    assert body.strip(), "the body states the reason"
    assert first.watching()


def test_head_has_the_headers_and_no_body(shared):
    status, headers, body = shared.request("HEAD", "/live.ts")
    assert (status, body) == (200, b"")
    assert headers["Content-Type"] == "video/mp2t"


def test_http_1_1_is_chunked_and_1_0_ends_with_the_connection(shared, view):
    viewers = [view(shared.url()), view(shared.url(), "--http-1.0")]
    for viewer, chunked in zip(viewers, (True, False)):
        viewer.receive(10)
        summary = viewer.finish()
        assert summary["chunked"] is chunked
        assert_clean(summary)


def test_pages_keep_the_connection_open(shared):
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection((shared.ip, shared.port), timeout=REPLY_SECONDS) as connection:
        for _ in range(2):
            connection.sendall(request)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_client_that_never_finishes_its_request_is_closed(serve):
    daemon = serve("--source", SMALL, config='[server]\nheader_timeout = "200ms"\n')
    with socket.create_connection((daemon.ip, daemon.port), timeout=REPLY_SECONDS) as connection:
        connection.sendall(b"GET /live.ts HT")
        reply = b"".join(iter(lambda: connection.recv(4096), b""))
    assert reply.startswith(b"HTTP/1.1 408"), "it states the reason"


def test_the_log_says_with_what_a_viewer_plays(shared):
    shared.request("GET", "/live.flv", headers={"User-Agent": "Player of tests/1"})
    line = wait_until(lambda: [line for line in shared.log().splitlines() if "Player of tests/1" in line], 30,
                      "the line")[0]
    assert " viewer_joined " in line and ' address=127.0.0.1 format=flv user_agent="Player of tests/1" ' in line


def test_the_log_says_what_to_open(shared):
    address = f"{shared.ip}:{shared.port}"
    assert (f"listening address={address} page=http://{address}/ player=http://{address}/live.ts\n"
            in shared.log())


def test_rtmp_is_explained_in_the_log(shared):
    """OBS and ffmpeg send C0 and C1 first."""
    with socket.create_connection((shared.ip, shared.port), timeout=REPLY_SECONDS) as connection:
        connection.sendall(b"\x03" + bytes(1536))
        wait_until(lambda: "not_http" in shared.log(), 30, "the line")
    line = next(line for line in shared.log().splitlines() if "not_http" in line)
    assert " address=127.0.0.1 protocol=RTMP times=1 " in line and "publish by SRT" in line


def test_listens_on_ipv6(serve, view):
    daemon = serve("--source", SMALL, ip="::1")
    viewer = view(daemon.url())
    viewer.receive(5)
    assert_clean(viewer.finish())


def test_health_names_the_stream(shared):
    status, _, body = shared.get("/healthz")
    assert status == 200
    assert b"live" in body


@pytest.mark.parametrize("path", ["/", "/status"])
def test_human_readable_pages_are_html(shared, path):
    status, headers, body = shared.get(path)
    assert status == 200
    assert headers["Content-Type"].startswith("text/html")
    assert b"symcast" in body


def test_status_page_has_links(shared):
    assert b"/live.ts" in shared.get("/status")[2]


def test_metrics_are_valid_for_prometheus(shared, view):
    view(shared.url())
    metrics = shared.wait_for(
        lambda m: m.sum("symcast_frame_delivery_delay_seconds_count") > 0, 30, "a delivery")
    check = subprocess.run(["promtool", "check", "metrics"], input=metrics.text, text=True,
                           capture_output=True, check=False)
    # Media rates are in bit/s everywhere else, and so in metrics, though promtool prefers bytes.
    remarks = [line for line in (check.stdout + check.stderr).splitlines()
               if not line.endswith('bits_per_second use base unit "bytes" instead of "bits"')]
    assert remarks == []
    assert check.returncode in (0, 3)  # 3 means remarks on style only


def test_metrics_count_traffic_and_viewers(shared, view):
    def refused(metrics):
        return metrics.sum("symcast_http_responses_total", code="404")

    shared.wait_for(lambda m: m.sum("symcast_viewers") == 0, 30, "viewers of other tests have left")
    before = shared.metrics()
    view(shared.url())
    metrics = shared.wait_for(lambda m: m.sum("symcast_sent_bytes_total") >
                              before.sum("symcast_sent_bytes_total"), 30, "bytes sent")
    assert metrics.all("symcast_viewers", stream="live") == [1]
    assert metrics.sum("symcast_group_rate_target_bits_per_second", stream="live") > 0
    shared.get("/nothing.ts")
    assert refused(shared.metrics()) == refused(before) + 1


def test_metrics_are_for_admins_only(serve, needs_lab):
    with Netlab() as lab:
        daemon = serve("--source", SMALL, lab=lab)
        client = {"netns": lab.clients[0].netns, "ip": lab.server_ip}
        assert daemon.get("/metrics", **client)[0] == 403
        assert daemon.get("/healthz", **client)[0] == 200
        assert daemon.get("/metrics")[0] == 200
        daemon.__exit__(None)


def test_playback_starts_without_waiting_for_a_keyframe(serve, view):
    """Keyframes are a minute apart. A group begins with one, and a later viewer gets one as well."""
    daemon = serve("--source", SMALL, config='[encoder]\nkeyframe_interval = "1m"\n')
    first = view(daemon.url())
    first.receive(20)
    later = view(daemon.url(), name="later")
    later.receive(1, seconds=30)
    for viewer in (first, later):
        assert viewer.pictures()[0]["keyframe"]
    daemon.wait_for(lambda m: m.sum("symcast_join_seconds_count") == 2, 30, "both joins are counted")


def test_final_statistics_of_a_connection_come_from_the_kernel(small, view):
    viewer = view(small.url())
    viewer.receive(20)
    viewer.finish()
    metrics = small.wait_for(
        lambda m: m.sum("symcast_connections_closed_total", statistics="final") == 1, 30, "its end")
    assert metrics.sum("symcast_tcp_segments_sent_total") > 10
    assert metrics.sum("symcast_connections_closing") == 0
    wait_until(lambda: "connection_ended" in small.log(), 30, "a log line of it")

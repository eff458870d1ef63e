"""Clients that take from the server without playing, and those that only seem to."""

import re
import resource
import select
import socket
import struct

import pytest

from netlab.daemon import REPLY_SECONDS, wait_until
from netlab.network import Netlab
from tests.integration.conftest import KEEP_GROUPS, QUICK, SMALL
from tests.integration.segment_requests import PATIENCE, HlsPlayer, wait_for_frames

READERS = 1000
FPS = 30
MAX_BYTES_EACH = 32 * 1024  # of the server's own memory
MAX_KERNEL_BYTES_EACH = 256 * 1024  # 64 KiB unsent, a buffer more, and twice that for the kernel's own overhead


def assets(daemon):
    """(size, path) of the files that the page refers to, the largest last."""
    found = daemon.assets()
    if not found:
        pytest.skip("the page was not built: it needs npm")
    return sorted((size, path) for path, size in found.items())


def read_nothing(daemon, path):
    """A connection that asks for `path`, has little room for the response, and leaves it there."""
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
    reader.settimeout(REPLY_SECONDS)
    reader.connect((daemon.ip, daemon.port))
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return reader


@pytest.fixture
def many_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def test_readers_of_nothing_cost_little_and_are_reset(serve, view, many_descriptors):
    daemon = serve("--source", SMALL, config=KEEP_GROUPS + QUICK)
    viewer = view(daemon.url())
    viewer.receive(3 * FPS)
    size, path = assets(daemon)[-1]
    assert size > 10 * MAX_BYTES_EACH, "a copy for each reader would be seen"
    before = daemon.resident_bytes()
    readers = [read_nothing(daemon, path) for _ in range(READERS)]
    own, kernel = [], []

    def all_are_reset(metrics):
        own.append(daemon.resident_bytes() - before)
        kernel.append(daemon.kernel_bytes())
        return metrics.sum("symcast_responses_too_slow_total") == READERS

    metrics = daemon.wait_for(all_are_reset, 120, "every reader is reset")
    assert max(own) < READERS * MAX_BYTES_EACH
    assert max(kernel) < READERS * MAX_KERNEL_BYTES_EACH
    assert kernel[-1] < max(kernel) / 10, "it is free at once"
    for reader in readers:
        with reader, pytest.raises(ConnectionResetError):
            while reader.recv(65536):
                pass
    wait_until(lambda: "responses_too_slow address=127.0.0.1 reason=" in daemon.log(), 30, "a log line")
    viewer.receive_more(3 * FPS)
    assert metrics.sum("symcast_viewers_left_total") == 0


INVENTED = ["v0/init-999.mp4", "auto/init-999.mp4", "v99/playlist.m3u8", "auto/1.m4s", "auto/1.0.m4s",
            "auto/2147483647.m4s", "auto/playlist.m3u8?_HLS_msn=2147483647", "auto/1.m4s?rate=x"]


def test_what_does_not_exist_begins_no_session(serve, view):
    """It would take a viewer's place for ten seconds, for one request."""
    daemon = serve("--source", SMALL, config=KEEP_GROUPS + QUICK)
    viewer = view(daemon.url())
    viewer.receive(3 * FPS)
    for number, path in enumerate(INVENTED):
        for method in ("GET", "HEAD"):
            status, _, body = daemon.request(method, f"/live/{number:016x}/{path}")
            assert status in (400, 404), path
            assert bool(body.strip()) == (method == "GET"), "the reason"
    assert "session_began" not in daemon.log()
    assert daemon.metrics().sum("symcast_viewers_joined_total") == 1
    assert daemon.metrics().sum("symcast_viewers") == 1


def open_request(daemon, path, client="127.0.0.1", headers=""):
    """A connection from the address `client` that has asked for `path`."""
    connection = socket.socket()
    connection.settimeout(REPLY_SECONDS)
    connection.bind((client, 0))
    connection.connect((daemon.ip, daemon.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
    return connection


def status_of(connection):
    """Of the response, of which the first bytes are read."""
    return int(connection.recv(16).split()[1])


CLAIMANTS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
PLACES = 21


def test_claims_do_not_fill_a_server(serve, view):
    """Sessions that ask for playlists and load nothing, from a few addresses, for every place."""
    daemon = serve("--source", SMALL, config=KEEP_GROUPS + QUICK + f"[server]\nmax_viewers = {PLACES}\n")
    wait_for_frames(daemon)
    claims = [open_request(daemon, f"/live/{number:016x}/auto/init.mp4", CLAIMANTS[number % len(CLAIMANTS)])
              for number in range(PLACES)]
    daemon.wait_for(lambda m: m.sum("symcast_viewers") == PLACES, PATIENCE, "all places are claimed")
    viewer = view(daemon.url())
    viewer.receive(3 * FPS)
    for again in range(3):
        claims += [open_request(daemon, f"/live/{number + 100 * again + 100:016x}/auto/init.mp4",
                                CLAIMANTS[number % len(CLAIMANTS)]) for number in range(PLACES)]
        viewer.receive_more(2 * FPS)
    metrics = daemon.metrics()
    assert metrics.sum("symcast_viewers_evicted_total", reason="in_all") > 0
    assert metrics.sum("symcast_viewers_refused_total", reason="in_all") > 0
    assert metrics.sum("symcast_viewers_left_total", reason="evicted") > 0
    wait_until(lambda: " viewers_evicted limit=in_all times=" in daemon.log(), PATIENCE, "a line")
    wait_until(lambda: " viewers_refused limit=in_all times=" in daemon.log(), PATIENCE, "a line")
    assert daemon.log().count(" viewers_refused ") < 10, "one in ten seconds"
    assert viewer.watching()
    for claim in claims:
        claim.close()


def test_a_session_has_six_responses_at_once(serve):
    daemon = serve("--source", SMALL, config=KEEP_GROUPS + QUICK)
    with HlsPlayer(daemon) as player:
        due = player.playlist("auto").segments[-1].number + 3
        path = player.path("auto", f"{due}.m4s")
        waiting = [open_request(daemon, path) for _ in range(10)]
        wait_until(lambda: len(select.select(waiting, [], [], 0)[0]) >= 4, PATIENCE, "four are answered")
        refused = select.select(waiting, [], [], 0)[0]
        assert [status_of(connection) for connection in refused] == 4 * [503]
        assert b"\r\nRetry-After: 1\r\n" in refused[0].recv(4096)
        assert daemon.metrics().sum("symcast_segment_requests_refused_total") == 4
        for connection in waiting:
            if connection not in refused:
                assert status_of(connection) == 200
            connection.close()
        wait_until(lambda: player.get(path).status == 200, PATIENCE, "the server has seen that they are closed")


def test_viewers_of_a_trusted_proxy_count_by_their_own_addresses(serve):
    """One that is not trusted may name as many as it likes."""
    limit = "[server]\nmax_viewers_per_address = 20\n"
    for trusted, served in (("", 20), ('trusted_proxies = ["127.0.0.1"]\n', 60)):
        daemon = serve("--source", SMALL, config=QUICK + limit + trusted)
        wait_for_frames(daemon)
        viewers = [open_request(daemon, "/live.ts", headers=f"X-Forwarded-For: 192.0.2.{number}\r\n")
                   for number in range(60)]
        statuses = [status_of(viewer) for viewer in viewers]
        assert (statuses.count(200), statuses.count(503)) == (served, 60 - served)
        if not trusted:
            wait_until(lambda: "server.max_viewers_per_address" in daemon.log(), PATIENCE, "the key to raise")
        for viewer in viewers:
            viewer.close()
        daemon.__exit__(None)


def test_a_flood_of_viewers_takes_no_lines_from_others(serve, view):
    daemon = serve("--source", SMALL, config=KEEP_GROUPS + QUICK)
    wait_for_frames(daemon)
    for _ in range(500):
        flood = open_request(daemon, "/live.ts", "127.0.0.2")
        flood.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        flood.recv(16)
        flood.close()
    viewer = view(daemon.url())
    viewer.receive(FPS)
    viewer.finish()
    wait_until(lambda: re.search(r" viewer_left .* address=127\.0\.0\.1 ", daemon.log()), PATIENCE,
               "the honest viewer's line")
    assert re.search(r" viewer_joined .* address=127\.0\.0\.1 .* left_out=\d+", daemon.log())
    assert len(daemon.log().splitlines()) < 400
    assert daemon.metrics().sum("symcast_log_lines_left_out_total") > 500


def test_a_slow_link_loads_a_script(serve, needs_lab):
    """It passes server.min_rate, and takes longer than server.stall_timeout for what the kernel holds."""
    with Netlab(rate="100k", delay_ms=50) as lab:
        daemon = serve("--source", SMALL, lab=lab, config='[server]\nstall_timeout = "5s"\n')
        size, path = assets(daemon)[-2]
        status, _, body = daemon.get(path, netns=lab.clients[0].netns, ip=lab.server_ip)
        assert (status, len(body)) == (200, size)
        assert daemon.metrics().sum("symcast_responses_too_slow_total") == 0
        daemon.__exit__(None)

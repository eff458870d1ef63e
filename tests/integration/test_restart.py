"""Players that were playing when the server was killed play on when it is back, without a reload: it
continues the numbers and times of the segments, and its sockets stay open if it is a service."""

import contextlib
import os
import time

import pytest

from netlab import mp4_boxes
from netlab.browser.chromium import PHASE, Browser
from netlab.daemon import Daemon, free_port, wait_until
from netlab.service_manager import ServiceManager
from tests.integration import playing
from tests.integration.playing import BROWSER, INSTALLED, LOST_PLACE, PATIENCE, RATE, Players, player_of
from tests.integration.segment_requests import HlsPlayer

UPTIMES = [5, 20, 120] if os.environ.get("SYMCAST_TEST_LONG") else [5]
AWAY = 2  # seconds between the end of a server and the start of the next
CONFIG = """
[encoder]
preset = "ultrafast"
"""
# With a refused connection libavformat ends or skips numbers, and dash.js gives up after 1.5 s.
CASES = {"kept": playing.CASES,
         "refused": [*playing.ENDLESS, "browser-hls", "browser-page"]}


def restart(directory, uptime, kind):
    """All players of `kind` play for `uptime` from a server that is killed then, and started again."""
    with contextlib.ExitStack() as running:
        manager = running.enter_context(ServiceManager(directory)) if kind == "kept" else None
        port = free_port()

        def serve(name):
            place = directory / name
            place.mkdir()
            return Daemon("--source", f"live=test:?size=192x108&fps={RATE}", config=CONFIG, port=port,
                          directory=place, manager=manager)

        server = serve("first")
        running.callback(server.process.kill)
        browser = running.enter_context(Browser()) if INSTALLED["browser"] else None
        pages = Players(server, [case for case in CASES[kind] if case in BROWSER], directory, browser)
        pages.until_they_play()
        # GStreamer 1.22.0 never plays a playlist that had one segment at first.
        with HlsPlayer(server) as hls:
            for rendition in ("auto", "audio"):
                wait_until(lambda: len(hls.playlist(rendition).segments) > 1,  # noqa: B023
                           PATIENCE, "segments")
        begin = time.monotonic()
        programs = Players(server, [case for case in CASES[kind] if case not in BROWSER], directory)
        running.callback(programs.end)
        programs.until_they_play()
        time.sleep(max(0, begin + uptime - time.monotonic()))
        server.process.kill()
        server.process.wait()
        programs.notice()
        pages.notice()
        if browser:
            pages.running["browser-page"].page.until(f"{PHASE} !== 'playing'")
        time.sleep(AWAY)
        with serve("second"):
            return pages.results() | programs.results()


@pytest.fixture(scope="module")
def restarts(tmp_path_factory):
    """{(uptime, kind): {case: None, or why it does not play on}}"""
    return {(uptime, kind): restart(tmp_path_factory.mktemp(f"{kind}{uptime}"), uptime, kind)
            for uptime in UPTIMES for kind in CASES}


@pytest.mark.parametrize(("uptime", "kind", "case"),
                         [(uptime, kind, case) for uptime in UPTIMES for kind, cases in CASES.items()
                          for case in cases])
def test_plays_on_after_a_restart(restarts, uptime, kind, case):
    if case not in restarts[uptime, kind]:
        pytest.skip(f"{player_of(case)} is not installed")
    if restarts[uptime, kind][case] == LOST_PLACE:
        pytest.skip(LOST_PLACE)
    assert restarts[uptime, kind][case] is None


def test_a_segment_that_the_killed_server_had_made_has_a_stand_in(tmp_path):
    """The next server answers the players that were asking for it. With 404, VLC 3.0.24 plays on
    without that track."""
    port = free_port()
    # Longer than a busy machine takes for a restart.
    config = CONFIG + '[segments]\nwindow = "10m"\n'

    def serve(name):
        (tmp_path / name).mkdir()
        return Daemon("--source", f"live=test:?size=192x108&fps={RATE}", config=config, port=port,
                      directory=tmp_path / name)

    first = serve("first")
    try:
        with HlsPlayer(first) as hls:
            segments = {rendition: hls.playlist(rendition).segments[-1]
                        for rendition in ("auto", "audio")}
            paths = {rendition: hls.path(rendition, segment.uri)
                     for rendition, segment in segments.items()}
            made = {rendition: mp4_boxes.chunks(hls.media(path)) for rendition, path in paths.items()}
            inits = {rendition: hls.media(hls.path(rendition, segment.init))
                     for rendition, segment in segments.items()}
    finally:
        first.process.kill()
        first.process.wait()
    with serve("second") as second, HlsPlayer(second) as hls:
        for rendition, path in paths.items():
            [(begin, ticks, _)] = mp4_boxes.chunks(hls.media(path))
            # Audio frames begin a moment before or after the segment.
            near = mp4_boxes.timescale(inits[rendition]) / 10
            assert begin == pytest.approx(made[rendition][0][0], abs=near)
            length = sum(sum(durations) for _, durations, _ in made[rendition])
            assert sum(ticks) == pytest.approx(length, abs=near)
            # GStreamer starts only after several frames.
            assert len(ticks) >= (5 if rendition == "auto" else 1)


def test_a_socket_that_is_not_wanted_any_more_is_closed(tmp_path):
    """Or the next server could not listen on its port."""
    with ServiceManager(tmp_path) as manager:
        def serve(name, port):
            (tmp_path / name).mkdir()
            return Daemon("--source", "live=test:?size=192x108&fps=5", directory=tmp_path / name,
                          port=port, manager=manager)

        first, second = free_port(), free_port()
        for name, port in (("a", first), ("b", first), ("c", second), ("d", second)):
            with serve(name, port) as server:
                assert manager.kept() == [f"listen-127.0.0.1_{port}"]
                assert ("socket_kept" in server.log()) == (name in "bd")
                assert ("socket_not_kept" in server.log()) == (name == "c")

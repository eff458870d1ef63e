"""The page in Chromium shows every frame exactly once while its viewer changes between four encode
groups twice a second."""

import http.client
import http.server
import threading
from urllib.parse import urlsplit

import pytest

from netlab.browser.chromium import Visit, origin
from netlab.browser.pictures import Pictures
from tests.integration.players import SECONDS
from tests.integration.test_players import SwitchingServer

RATE = 25
START_SECONDS = 3  # in which the player settles near the live edge
PLAYS = {"step": "until", "expression": "document.querySelector('video').currentTime > 0"}
pytestmark = pytest.mark.usefixtures("needs_chromium")


class TwoServers:
    """One origin in front of two: forwards the stream from `streams`, and all else from `page`."""

    def __init__(self, page, streams):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer._pass_on(self, streams if self.path.startswith("/live.") else page)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @staticmethod
    def _pass_on(request, home):
        upstream = http.client.HTTPConnection(urlsplit(home).netloc)
        upstream.request("GET", request.path)
        answer = upstream.getresponse()
        request.send_response(answer.status)
        request.send_header("Content-Type", answer.getheader("Content-Type"))
        request.end_headers()
        try:
            while data := answer.read1():
                request.wfile.write(data)
        except (ConnectionError, http.client.HTTPException):
            pass  # the page has closed the request, or the server ends
        finally:
            upstream.close()


@pytest.mark.parametrize("container", ["mp4", "flv"])
def test_every_frame_is_shown_through_changes_of_group(serve, container):
    page = origin(serve("--source", "live=test:?size=640x360&fps=25"))
    steps = [PLAYS, {"step": "wait", "seconds": START_SECONDS}, {"step": "record", "seconds": SECONDS}]
    with SwitchingServer(container) as streams:
        home = "http://" + urlsplit(streams.source).netloc
        with TwoServers(page, home) as both:
            with Visit(both.origin, *steps, delivery=container) as visiting:
                seen = visiting.end(60 + SECONDS)
    assert seen["troubles"] == []
    recorded = seen["results"][-1]
    pictures = Pictures(recorded)
    steps = pictures.steps(RATE)
    missing = sum(round(step) - 1 for step in steps)
    known = pictures.unseen() + recorded["dropped"]
    print(f"{container}: {len(steps) + 1} frames, {missing} missing, {known} shown but not recorded")
    assert len(recorded["ranges"]) == 1, "the buffer has a gap"
    assert min(steps) > 0.5, "a frame was shown twice"
    assert missing <= known, "frames are missing"
    assert pictures.stalls(pictures.shown()[0], pictures.ended) == []
    assert len(set(pictures.sizes())) >= 3

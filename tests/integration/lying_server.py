"""An HTTP server whose playlists, manifests and redirections name places that a source may not open, and RTSP
servers that redirect. Each knows who has asked it."""

import collections
import http.server
import socket
import socketserver
import threading
import time

HLS = "application/vnd.apple.mpegurl"


def hls_of(uri, key=""):
    """A playlist of one segment, five times."""
    tag = f'#EXT-X-KEY:METHOD=AES-128,URI="{key}"\n' if key else ""
    return ("#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-MEDIA-SEQUENCE:1\n" + f"{tag}#EXTINF:20,\n{uri}\n" * 5 +
            "#EXT-X-ENDLIST\n")


def dash_of(base, segment):
    """A manifest of one segment. The comment makes it long enough to be recognized."""
    return f"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static"
 mediaPresentationDuration="PT20S" minBufferTime="PT1S"><BaseURL>{base}</BaseURL><Period>
<AdaptationSet mimeType="video/mp2t" contentType="video"><Representation id="1" bandwidth="800000" width="320"
 height="180" codecs="avc1.42c00d"><SegmentList duration="20"><SegmentURL media="{segment}"/></SegmentList>
</Representation></AdaptationSet></Period><!-- {"x" * 5000} --></MPD>"""


class LyingServer:
    """Serves `pages` {path: (content type, text or bytes)} and `redirections` {path: URI} on 127.0.0.1.
    `asked` counts the requests for each path."""

    def __init__(self):
        self.pages, self.redirections = {}, {}
        self.asked = collections.Counter()
        owner = self

        class Reply(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                owner.asked[self.path] += 1
                if self.path in owner.redirections:
                    self.send_response(302)
                    self.send_header("Location", owner.redirections[self.path])
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                if self.path not in owner.pages:
                    return self.send_error(404)
                kind, body = owner.pages[self.path]
                body = body.encode() if isinstance(body, str) else body
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128  # all sources at once

        self._server = Server(("127.0.0.1", 0), Reply)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path="", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"


class Forbidden:
    """Listens on a port of all addresses of this machine; nothing may connect. `callers` counts them."""

    def __init__(self):
        self.callers = 0
        self._listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self._listener.accept()
            self.callers += 1
            connection.close()


class RtspRedirect:
    """Sends each client to `location`, or to itself. `requests` counts them."""

    def __init__(self, location=None):
        self.requests = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.uri = f"rtsp://127.0.0.1:{self._listener.getsockname()[1]}/x"
        self._location = location or self.uri
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            threading.Thread(target=self._answer, args=self._listener.accept()[:1], daemon=True).start()

    def _answer(self, connection):
        with connection:
            while request := connection.recv(4096):
                self.requests += 1
                number = request.split(b"CSeq: ")[1].split(b"\r")[0]
                connection.sendall(b"RTSP/1.0 302 Moved\r\nCSeq: %b\r\nLocation: %b\r\n\r\n" %
                                   (number, self._location.encode()))


class Broadcast:
    """Sends `parts` in `seconds`, evenly, to each client of `uri`."""

    def __init__(self, parts, seconds):
        owner = self
        self.parts, self.seconds = parts, seconds

        class Reply(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "video/mp2t")
                self.end_headers()
                try:
                    owner.send(self.wfile)
                except OSError:
                    pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reply)
        self._server.daemon_threads = True
        self.uri = f"http://127.0.0.1:{self._server.server_address[1]}/live.ts"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def send(self, to):
        begin = time.monotonic()
        for number, part in enumerate(self.parts):
            time.sleep(max(0, begin + number * self.seconds / len(self.parts) - time.monotonic()))
            to.write(part)


class Endless:
    """Answers each client of `port` with `head`, and then with `block` for ever. `{number}` in the head is the
    number of an RTSP request."""

    def __init__(self, head, block):
        self._head, self._block = head, block
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            threading.Thread(target=self._answer, args=self._listener.accept()[:1], daemon=True).start()

    def _answer(self, connection):
        with connection:
            try:
                request = connection.recv(4096)
                number = request.split(b"CSeq: ")[1].split(b"\r")[0] if b"CSeq: " in request else b""
                connection.sendall(self._head.replace(b"{number}", number))
                while True:
                    connection.sendall(self._block)
            except OSError:
                pass

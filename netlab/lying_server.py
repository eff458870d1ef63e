"""An HTTP server whose playlists, manifests and redirections name places that a source may not open, and RTSP
servers that redirect. Each knows who has asked it."""

import collections
import http.server
import socket
import socketserver
import threading
import time

HOST = "127.0.0.1"
HLS = "application/vnd.apple.mpegurl"
DASH = "application/dash+xml"


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


class Reply(http.server.BaseHTTPRequestHandler):
    """The response to one request. `self.server.owner` is the LyingServer."""

    def log_message(self, *_):
        pass

    def write(self, data):
        self.wfile.write(data)

    def head(self, kind="video/mp2t", status=200, **headers):
        """`headers`: with _ in place of -. Without Content_Length, the response ends with the connection."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def whole(self, kind, body):
        body = body.encode() if isinstance(body, str) else body
        self.head(kind, Content_Length=len(body))
        self.write(body)

    def redirect(self, uri):
        self.head("text/plain", 302, Location=uri, Content_Length=0)

    def do_GET(self):
        try:
            self.server.owner.answer(self.path, self)
        except OSError:
            pass  # the client has gone


class LyingServer:
    """Serves `pages` {path: (content type, text or bytes)} and `redirections` {path: URI} on 127.0.0.1, and
    calls `behaviours` {path: function(Reply)}. `asked` counts the requests for each path."""

    def __init__(self, port=0):
        self.pages, self.redirections, self.behaviours = {}, {}, {}
        self.asked = collections.Counter()

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128  # all sources at once

        self._server = Server((HOST, port), Reply)
        self._server.owner = self
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path="", host=HOST):
        return f"http://{host}:{self.port}{path}"

    def answer(self, path, reply):
        self.asked[path] += 1
        if path in self.redirections:
            reply.redirect(self.redirections[path])
        elif path in self.pages:
            reply.whole(*self.pages[path])
        elif path in self.behaviours:
            self.behaviours[path](reply)
        else:
            reply.send_error(404)


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


class RtspServer:
    """Calls answer(connection, CSeq) for each request. `requests` counts them."""

    def __init__(self, answer):
        self.requests = 0
        self._answer = answer
        self._listener = socket.create_server((HOST, 0), backlog=50)
        self.uri = f"rtsp://{HOST}:{self._listener.getsockname()[1]}/x"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            threading.Thread(target=self._serve, args=self._listener.accept()[:1], daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                while request := connection.recv(4096):
                    self.requests += 1
                    self._answer(connection, request.split(b"CSeq: ")[1].split(b"\r")[0])
            except OSError:
                pass  # the client has gone


class RtspRedirect(RtspServer):
    """Sends each client to `location`, or to itself."""

    def __init__(self, location=None):
        super().__init__(self._redirect)
        self._location = location or self.uri

    def _redirect(self, connection, number):
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

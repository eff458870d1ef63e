"""Proxies that people put in front of a web server, with the configurations that they write. Each
listens on a port of its own, and serves symcast below PREFIX too."""

import http.client
import shutil
import socket
import subprocess

from netlab.daemon import REPLY_SECONDS, free_port, wait_until
from netlab.network import open_socket

PREFIX = "/tv/"
START_SECONDS = 30

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {headers}
  server {{
    listen {listen}:{port};
    {check}
    location / {{ proxy_pass http://{upstream}; }}
    location {prefix} {{ proxy_pass http://{upstream}/; }}
  }}
}}
"""
# The lines that nginx's users add.
NGINX_FORWARDING = """
  proxy_http_version 1.1;
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
"""

# For keep-alive upstream, and nothing that tells the server of the client. nginx before 1.29 sends
# "Connection: close" then.
NGINX_HTTP_1_1 = "proxy_http_version 1.1;"

# Nobody gets anything without it.
TOKEN = "token=a%20b"
NGINX_CHECK = 'if ($arg_token != "a%20b") { return 403; }'

CADDY = """
{{
  admin off
  auto_https off
}}
http://:{port} {{
  bind {listen}
  handle_path {prefix}* {{
    reverse_proxy {upstream}
  }}
  reverse_proxy {upstream}
}}
"""

HAPROXY_DEFAULTS = """
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
"""
HAPROXY = HAPROXY_DEFAULTS + """
listen symcast
  bind {listen}:{port}
  server symcast {upstream} {send}
"""
# Requests go to the first server, and to the second one while the first is away.
HAPROXY_STANDBY = HAPROXY_DEFAULTS + """
  mode http
  retries 3
  retry-on all-retryable-errors
  option redispatch 1
listen symcast
  bind {listen}:{port}
  server first {upstream} check inter 200ms fall 1
  server second {standby} backup
"""


class Proxy:
    """Runs until the end of the `with` block, on loopback; with `lab`, on all addresses of its server."""

    def __init__(self, folder, daemon, config, command, lab=None, **values):
        folder.mkdir(exist_ok=True)
        self.ip, self.port = "127.0.0.1", free_port()
        path = folder / "config"
        path.write_text(config.format(folder=folder, port=self.port, prefix=PREFIX,
                                      listen="0.0.0.0" if lab else "127.0.0.1",
                                      upstream=f"127.0.0.1:{daemon.port}", **values))
        self._netns = lab.server_netns if lab else None
        self._log = open(folder / "log", "w")
        run = lab.run_server if lab else subprocess.Popen
        self._process = run([word.format(config=path, folder=folder) for word in command],
                            stdout=self._log, stderr=subprocess.STDOUT,
                            env={"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/usr/local/bin"})

    def __enter__(self):
        wait_until(self._listens, START_SECONDS, f"{self._process.args[0]} listens")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._log.close()

    def _listens(self):
        assert self._process.poll() is None, open(self._log.name).read()
        with open_socket(self._netns, socket.AF_INET) as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def get(self, path, client="127.0.0.1", headers=None):
        """(status, body) for a client with the address `client`, 127.0.0.0/8."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REPLY_SECONDS,
                                                source_address=(client, 0))
        try:
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")
        finally:
            connection.close()


def nginx(folder, daemon, headers="", lab=None, check=""):
    program = shutil.which("nginx", path="/usr/local/bin:/usr/sbin")
    return Proxy(folder, daemon, NGINX, [program, "-p", "{folder}", "-c", "{config}"], lab,
                 headers=headers, check=check)


def forwarding_nginx(folder, daemon, lab=None):
    return nginx(folder, daemon, NGINX_FORWARDING, lab)


def checking_nginx(folder, daemon, lab=None):
    """Answers 403 to each request without TOKEN."""
    return nginx(folder, daemon, NGINX_FORWARDING, lab, NGINX_CHECK)


def silent_nginx(folder, daemon, lab=None):
    """Adds no header."""
    return nginx(folder, daemon, NGINX_HTTP_1_1, lab)


def caddy(folder, daemon, lab=None):
    return Proxy(folder, daemon, CADDY,
                 ["caddy", "run", "--adapter", "caddyfile", "--config", "{config}"], lab)


def standby(folder, first, second):
    """Passes requests on to the server `first`, or if it is away, to `second`. One that was under way is sent
    again: ffmpeg ends if the response to a playlist is missing."""
    program = shutil.which("haproxy", path="/usr/local/bin:/usr/sbin")
    return Proxy(folder, first, HAPROXY_STANDBY, [program, "-f", "{config}"], standby=f"127.0.0.1:{second.port}")


def haproxy(folder, daemon, version=2, lab=None):
    """Passes TCP connections on. `version`: of the PROXY protocol, 1 or 2; 0 for none."""
    program = shutil.which("haproxy", path="/usr/local/bin:/usr/sbin")
    send = {0: "", 1: "send-proxy", 2: "send-proxy-v2"}[version]
    return Proxy(folder, daemon, HAPROXY, [program, "-f", "{config}"], lab, send=send)

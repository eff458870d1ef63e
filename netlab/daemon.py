"""The server under test: starts it, sends requests, reads its metrics, ends it."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from netlab.network import REPOSITORY, open_socket

START_SECONDS = 60  # generous, for sanitizers and busy machines
END_SECONDS = 30  # a server that outlives SIGTERM by this time hangs
REPLY_SECONDS = 30  # a server that has not replied by then hangs
ASSET = re.compile(r"[\w.-]+-[0-9A-Z]{8}\.(?:js|css|svg|txt)")
SANITIZER = re.compile(r"\w+Sanitizer: |: runtime error: ")

crashes = []  # logs of servers that crashed or had a sanitizer report
running = set()  # servers in their `with` block
LOG_LINES = 150  # that a failed test shows


def binary():
    """Path of symcast: $SYMCAST_BINARY (set by CTest), otherwise the newest build."""
    if "SYMCAST_BINARY" in os.environ:
        return os.environ["SYMCAST_BINARY"]
    built = [path for path in REPOSITORY.glob("build/*/**/symcast") if path.is_file()]
    if not built:
        raise FileNotFoundError("symcast is not built; set SYMCAST_BINARY to it")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def stacks(pid):
    """The stack of each thread of a hanging process: by gdb if it is installed, or in the kernel only."""
    if shutil.which("gdb"):
        return subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace"],
                              capture_output=True, text=True, check=False).stdout
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return "\n".join((task / "comm").read_text() + (task / "stack").read_text() for task in tasks)


_given_ports = set()


def free_port(kind=socket.SOCK_STREAM):
    """A port that is free and was not returned before: its owner may not have opened it yet."""
    while True:
        with socket.socket(socket.AF_INET, kind) as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port not in _given_ports:
            _given_ports.add(port)
            return port


def wait_until(condition, seconds, what, interval=0.05):
    """Polls condition() and returns its first true value; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(interval)


class Metrics:
    """One scrape of /metrics."""

    LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)(?: \d+)?$")
    LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

    def __init__(self, text):
        self.text = text
        self.samples = []
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, labels, value = self.LINE.match(line).groups()
                self.samples.append((name, dict(self.LABEL.findall(labels or "")), float(value)))

    def all(self, name, **labels):
        """Values of the samples called `name` that have all these labels, and maybe others."""
        return [value for sample, have, value in self.samples
                if sample == name and labels.items() <= have.items()]

    def sum(self, name, **labels):
        return sum(self.all(name, **labels))


class Daemon:
    """A running `symcast serve`. With `lab` it runs in the lab's server namespace. `config` is TOML
    text; `wrapper`: words before the command. With `manager`, a
    ServiceManager, it is a service. Construction waits until the sources play, unless
    `sources_play` is false. The `with` block ends the server with SIGTERM, and fails if it does not
    end, or not with exit code 0."""

    def __init__(self, *args, directory, config=None, lab=None, ip=None, sources_play=True,
                 wrapper=(), port=None, manager=None):
        self.netns = lab.server_netns if lab else None
        self.ip = ip or (lab.server_ip if lab else "127.0.0.1")
        self.port = port or (8080 if lab else free_port())
        self.directory = pathlib.Path(directory)
        self._stacks = ""
        self._have_played = set()  # streams
        self.config_path = self.directory / "symcast.toml"
        listen = f"[{self.ip}]" if ":" in self.ip else self.ip
        command = [*wrapper, binary(), "serve", "--listen",
                   f"[::]:{self.port}" if lab else f"{listen}:{self.port}", *args]
        if config is not None:
            self.config_path.write_text(config)
            command += ["--config", str(self.config_path)]
        self._log_path = self.directory / f"symcast-{self.port}.log"
        with open(self._log_path, "w") as log:
            run = lab.run_server if lab else manager.run if manager else subprocess.Popen
            self.process = run(command, stdin=subprocess.DEVNULL, stdout=log,
                               stderr=subprocess.STDOUT)
        try:
            wait_until(self._is_up, START_SECONDS, "symcast answers /healthz")
            if sources_play:
                wait_until(self._sources_play, START_SECONDS, "the sources play")
        except BaseException:
            self.process.kill()
            self.process.wait()
            self._note_crash()
            print(self.log())
            raise

    def __enter__(self):
        running.add(self)
        return self

    def __exit__(self, kind, *_):
        running.discard(self)
        if kind:
            print(self.end_of_log())
        if self.process.poll() is None:
            self.end()
        self._note_crash()
        code = self.process.returncode
        # If the block itself failed, that failure is the one to report.
        assert kind or code == 0, f"symcast ended with {code}:\n{self.log()}{self._stacks}"

    def _note_crash(self):
        code, log = self.process.returncode, self.log()
        if (code < 0 and code != -signal.SIGKILL) or SANITIZER.search(log):
            crashes.append(f"symcast ended with {code}:\n{log}")

    def check_running(self):
        """Fails if the server has ended by itself."""
        code = self.process.poll()
        assert code is None, f"symcast ended with {code}:\n{self.log()}"

    def _is_up(self):
        self.check_running()
        try:
            return self.get("/healthz")[0] == 200
        except OSError:
            return False

    def _sources_play(self):
        """Whether each has played. On a busy machine, one or the other may stand still at any time."""
        states = [line.split() for line in self.get("/healthz")[2].decode().splitlines()[1:]]
        self._have_played |= {name for name, state, *_ in states if state == "playing"}
        return self._have_played >= {name for name, *_ in states}

    def end(self):
        """Sends SIGTERM, and kills a server that hangs; returns the seconds until it ended."""
        begin = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._stacks = stacks(self.process.pid)
            self.process.kill()
            self.process.wait()
        return time.monotonic() - begin

    def reload(self, config=None):
        """Writes the configuration if there is one, sends SIGHUP and waits until the server has handled it."""
        before = self.log().count(" configuration_")
        if config is not None:
            self.config_path.write_text(config)
        self.process.send_signal(signal.SIGHUP)

        def is_handled():
            self.check_running()
            return self.log().count(" configuration_") > before
        wait_until(is_handled, REPLY_SECONDS, "a reload")

    def source_processes(self, stream=None):
        """The process ids of the sources, or of the source of one stream: its name is their argument."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        pids = [int(pid) for task in tasks for pid in (task / "children").read_text().split()]
        return [pid for pid in pids if stream is None or
                pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == f"symcast-ingest\0{stream}\0".encode()]

    def assets(self):
        """{path: size} of the files that the page refers to. Empty if the page was not built."""
        found, new = {}, set(ASSET.findall(self.get("/")[2].decode()))
        while new:
            path = f"/assets/{new.pop()}"
            content = self.get(path)[2]
            found[path] = len(content)
            new |= {name for name in ASSET.findall(content.decode()) if f"/assets/{name}" not in found}
        return found

    def kernel_bytes(self):
        """Memory of the send queues of the server's connections, also of those that it has closed."""
        sockets = subprocess.run(["ss", "-tmnH", f"sport = :{self.port}"], capture_output=True, text=True, check=True)
        return sum(int(queued) for queued in re.findall(r",w(\d+),", sockets.stdout))

    def log(self):
        return self._log_path.read_text(errors="replace")

    def end_of_log(self):
        return "\n".join(self.log().splitlines()[-LOG_LINES:])

    def url(self, stream="live", ip=None, container="ts"):
        host = ip or self.ip
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/{stream}.{container}"

    def request(self, method, path, headers=None, netns=None, ip=None):
        """(status, headers, body) of one request, made from namespace `netns` to address `ip`."""
        ip = ip or ("127.0.0.1" if self.netns else self.ip)
        family = socket.AF_INET6 if ":" in ip else socket.AF_INET
        connection = http.client.HTTPConnection(ip, self.port)
        connection.sock = open_socket(netns or self.netns, family)
        connection.sock.settimeout(REPLY_SECONDS)
        try:
            connection.sock.connect((ip, self.port))
            connection.request(method, path, headers=headers or {})
            response = connection.getresponse()
            stream = path.endswith((".ts", ".flv", ".mp4"))
            endless = stream and method == "GET" and response.status == 200
            return response.status, response.headers, b"" if endless else response.read()
        finally:
            connection.close()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def metrics(self):
        status, _, body = self.get("/metrics")
        assert status == 200, body
        return Metrics(body.decode())

    def wait_for(self, condition, seconds, what):
        """Scrapes until condition(metrics) is true, and returns that scrape."""
        def check():
            metrics = self.metrics()
            return metrics if condition(metrics) else None
        return wait_until(check, seconds, what, interval=0.1)

    def cpu_seconds(self):
        """User and system time so far."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

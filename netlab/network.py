"""The emulated network from Python: link_emulator joins the namespaces of a server and its clients.

    with Netlab(rate="5M", delay_ms=20, queue_bytes=32000) as lab:
        server = lab.run_server(["symcast", "serve"])
        viewer = lab.run_client([lab.ts_client, f"http://{lab.server_ip}:8080/live.ts"])
        lab.set(down_rate="1M")

Everything ends with the `with` block, or when this process ends in any way.
"""

import ctypes
import json
import os
import pathlib
import socket
import subprocess
import threading

CLONE_NEWNET = 0x40000000
STOP_SECONDS = 3  # a process that outlives SIGTERM by this time is killed

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]


def tool(name):
    """Path of a built program: in $NETLAB_TOOLS (set by CTest), otherwise in the newest build."""
    if "NETLAB_TOOLS" in os.environ:
        return str(pathlib.Path(os.environ["NETLAB_TOOLS"]) / name)
    built = list(REPOSITORY.glob(f"build/*/netlab/{name}"))
    if not built:
        raise FileNotFoundError(f"{name} is not built; set NETLAB_TOOLS to its folder")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def why_unavailable():
    """Why this process cannot emulate a network here; None if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun"
    return None


def stop(process):
    """Ends one process by its handle; returns its exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
    return process.wait()


def open_socket(netns, family=socket.AF_INET, kind=socket.SOCK_STREAM):
    """A socket in the namespace at path `netns`, or in this process's own if `netns` is None."""
    if netns is None:
        return socket.socket(family, kind)
    result = []

    def open_there():  # setns() moves only this thread, which ends at once
        libc = ctypes.CDLL(None, use_errno=True)
        fd = os.open(netns, os.O_RDONLY)
        try:
            if libc.setns(fd, CLONE_NEWNET) != 0:
                result.append(OSError(ctypes.get_errno(), f"setns {netns}"))
            else:
                result.append(socket.socket(family, kind))
        finally:
            os.close(fd)

    thread = threading.Thread(target=open_there)
    thread.start()
    thread.join()
    if isinstance(result[0], OSError):
        raise result[0]
    return result[0]


def link_settings(rate=None, delay_ms=0, queue_bytes=None, loss=None, **others):
    """Settings in link_emulator's syntax; `others` use its own keys."""
    words = [f"delay={delay_ms}ms"]
    if rate is not None:
        words.append(f"rate={rate}")
    if queue_bytes is not None:
        words.append(f"queue={queue_bytes}")
    if loss is not None:
        words.append(f"loss={loss}")
    words += [f"{key}={value}" for key, value in others.items()]
    return " ".join(words)


class Client:
    """A client namespace and its path to the server."""

    def __init__(self, description):
        self.netns = description["netns"]
        self.address = description["address"]
        self.server_ip = description["server_address"]


class Netlab:
    """`rate` and `queue_bytes` are of the downlink (server to client); `delay_ms` is added in each
    direction. The uplink is unlimited unless `up`, in link_emulator's syntax, sets a limit.
    `shared`: a series of links that the paths of all clients pass before the clients' own links.
    `through`: for each client, the indices of the shared links on its path; by default all of them.
    `alike`: random losses and jitter hit the n-th packet of each client's link in the same way."""

    def __init__(self, clients=1, seed=1, alike=False, up=None, shared=(), through=(),
                 **down):
        command = [tool("link_emulator"), f"--clients={clients}", f"--seed={seed}",
                   "--down", link_settings(**down),
                   "--up", up or link_settings(delay_ms=down.get("delay_ms", 0))]
        if alike:
            command.append("--alike")
        for link in shared:
            command += ["--shared", link]
        for links in through:
            command.append(f"--through={','.join(map(str, links)) or 'none'}")
        self._emulator = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          text=True)
        first = self._emulator.stdout.readline()
        if not first:
            raise RuntimeError(f"link_emulator ended with {self._emulator.wait()}")
        description = json.loads(first)
        self.server_netns = description["server"]
        self.clients = [Client(client) for client in description["clients"]]
        self.server_ip = self.clients[0].server_ip
        self.ts_client = tool("ts_client")
        self._processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for process in reversed(self._processes):
            stop(process)
        stop(self._emulator)

    def _run(self, netns, command, options):
        # Both wrappers exec: the child process is the command itself, and ends with this process.
        wrapped = ["nsenter", f"--net={netns}", "setpriv", "--pdeathsig", "KILL", *command]
        process = subprocess.Popen([str(word) for word in wrapped], **options)
        self._processes.append(process)
        return process

    def run_server(self, command, **options):
        """Starts `command` in the server's namespace; returns its Popen."""
        return self._run(self.server_netns, command, options)

    def run_client(self, command, client=0, **options):
        """Starts `command` in a client's namespace; returns its Popen."""
        return self._run(self.clients[client].netns, command, options)

    def command(self, line):
        """Sends one line of the emulator's protocol (command.h); returns the answer."""
        self._emulator.stdin.write(line + "\n")
        self._emulator.stdin.flush()
        answer = json.loads(self._emulator.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def set(self, client=None, **settings):
        """`set(down_rate="1M", both_blackhole="on")`; without `client`, on every client's link."""
        for name, value in settings.items():
            direction, key = name.split("_", 1)
            prefix = "" if client is None else f"{client} "
            self.command(f"{prefix}{direction} {key}={value}")

    def counters(self):
        """Packets, bytes and drops of each client's link, by direction; then those of the shared links,
        which have one direction only."""
        answer = self.command("stats")
        return answer["clients"] + [{"down": link} for link in answer["shared"]]

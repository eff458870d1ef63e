"""Secrets and conf.d: they work in the real server, a reload reads them again, and no secret shows."""

import os
import pathlib
import re
import socket
import subprocess
import tempfile

import pytest

from netlab.daemon import binary, free_port, wait_until
from tests.integration.conftest import QUICK

PASSWORDS = ("of-the-credential-4711", "of-the-environment-4712", "of-the-file-4713")
ODD = 'an "odd" one@4714'  # GStreamer encodes it where it is part of a URI
SMALL_STREAM = '[[stream]]\nname = "{}"\nsource = "test:?size=320x180"\n'


def fill(directory, monkeypatch):
    """A secret in each of the places: CREDENTIAL, VARIABLE and FILE."""
    credentials = directory / "credentials"
    credentials.mkdir()
    (credentials / "CREDENTIAL").write_text(PASSWORDS[0] + "\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    monkeypatch.setenv("VARIABLE", PASSWORDS[1])
    monkeypatch.setenv("ODD", ODD)
    (directory / "secrets.toml").write_text(f'FILE = "{PASSWORDS[2]}"\n')
    (directory / "secrets.toml").chmod(0o600)
    return directory


@pytest.fixture
def places(tmp_path, monkeypatch):
    return fill(tmp_path, monkeypatch)


@pytest.fixture
def public(monkeypatch):
    """Like `places`, where every user can enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        pathlib.Path(directory).chmod(0o755)
        yield fill(pathlib.Path(directory), monkeypatch)


def check(path, *options):
    done = subprocess.run([binary(), "check", *options, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def publish(port, passphrase):
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "quiet", "-re", "-f", "lavfi", "-i",
         "testsrc2=s=192x108:r=25", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-f", "mpegts",
         f"srt://127.0.0.1:{port}?passphrase={passphrase}"], stdin=subprocess.DEVNULL)


def test_secrets_of_all_places_work_and_show_nowhere(serve, view, places):
    """Each listener asks for the passphrase that its publisher has. Other sources fail, with their URLs and
    launch text in the server's messages."""
    ports = [free_port(socket.SOCK_DGRAM) for _ in PASSWORDS]
    streams = [f'[[stream]]\nname = "{name.lower()}"\nsource = "srt://:{port}?passphrase=${{{name}}}"\n'
               for name, port in zip(("CREDENTIAL", "VARIABLE", "FILE"), ports)]
    config = (QUICK + "".join(streams) + '[[stream]]\nname = "away"\n'
              'source = "http://${FILE}@127.0.0.1:9/${CREDENTIAL}/live.ts?key=${VARIABLE}"\n'
              '[[stream]]\nname = "odd"\nsource = "http://127.0.0.1:9/${ODD}/live.ts?key=${ODD}"\n'
              '[[stream]]\nname = "text"\nsource = "gst:videotestsrc num-buffers=${VARIABLE}"\n')
    daemon = serve("--trace", places / "traces", "--log-level", "debug", config=config, sources_play=False)
    secret = re.compile("|".join(map(re.escape, PASSWORDS)) + "|one(@|%40)4714")
    publishers = [publish(port, password) for port, password in zip(ports, PASSWORDS)]
    try:
        daemon.wait_for(lambda m: m.sum("symcast_source_status", status="playing") == 3, 60,
                        "all publishers play")
        wait_until(lambda: daemon.log().count("source_lost") >= 3, 60, "the other sources failed")
        viewer = view(daemon.url("file"))
        viewer.receive(10)
        shown = {path: daemon.get(path)[2].decode()
                 for path in ("/status", "/metrics", "/healthz", "/api/v1/streams")}
        viewer.finish()
    finally:
        for publisher in publishers:
            publisher.kill()
            publisher.wait()
    shown["log"] = daemon.log()
    shown["processes"] = pathlib.Path(f"/proc/{daemon.process.pid}/cmdline").read_text()
    shown["check"] = check(daemon.config_path)[1]
    shown["check --show"] = check(daemon.config_path, "--show")[1]
    shown["traces"] = "".join(path.read_text() for path in (places / "traces").iterdir())
    assert shown["traces"] and "away" in shown["/status"]
    found = {where for where, text in shown.items() if secret.search(text)}
    assert found == set()


def test_a_secret_on_the_command_line_is_a_name_only(serve, places):
    port = free_port(socket.SOCK_DGRAM)
    daemon = serve("--source", f"live=srt://:{port}?passphrase=${{VARIABLE}}", sources_play=False)
    publisher = publish(port, PASSWORDS[1])
    try:
        daemon.wait_for(lambda m: m.sum("symcast_source_status", status="playing") == 1, 60, "it plays")
    finally:
        publisher.kill()
        publisher.wait()
    assert "${VARIABLE}" in pathlib.Path(f"/proc/{daemon.process.pid}/cmdline").read_text()


def test_a_secret_with_quotes_shows_nowhere(places, monkeypatch):
    for secret in ('quote"4711', 'back\\slash4711'):
        monkeypatch.setenv("VARIABLE", secret)
        (places / "symcast.toml").write_text(
            '[[stream]]\nname = "a"\nsource = "srt://192.0.2.1:9?passphrase=x&key=${VARIABLE}"\n')
        code, shown = check(places / "symcast.toml", "--show")
        assert code == 0 and "4711" not in shown


def test_a_missing_secret_stops_the_start_with_the_cure(places):
    config = places / "symcast.toml"
    config.write_text('[[stream]]\nname = "a"\nsource = "rtsp://me:${NOWHERE}@192.0.2.1/"\n')
    code, text = check(config)
    assert code == 2
    assert text.startswith(f"{config}:3:10: source.uri: ${{NOWHERE}} is not set; add NOWHERE = ")


@pytest.mark.skipif(os.geteuid() != 0, reason="root reads everything, so another user has to fail")
def test_check_leaves_credentials_alone_that_only_the_service_may_read(public):
    """systemd 252 sets $CREDENTIALS_DIRECTORY for ExecReload=, where it cannot be read."""
    config = public / "symcast.toml"
    config.write_text('[[stream]]\nname = "a"\nsource = "rtsp://me:${CREDENTIAL}@192.0.2.1/"\n')
    (public / "credentials").chmod(0o700)
    as_nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", binary()]
    checked = subprocess.run([*as_nobody, "check", config], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, f"{config}: ok (1 stream: a; on [::]:8080)\n"), checked
    served = subprocess.run([*as_nobody, "serve", "--config", config], capture_output=True, text=True,
                            check=False, timeout=60)
    assert served.returncode == 2 and "${CREDENTIAL} is not set" in served.stderr


def test_sighup_reads_conf_d_and_secrets_again(serve, places):
    daemon = serve(config=QUICK + SMALL_STREAM.format("kept"))
    (places / "conf.d").mkdir()
    (places / "conf.d/new.toml").write_text(SMALL_STREAM.format("new"))
    daemon.reload()
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="new") > 0, 60, "it plays")
    (places / "conf.d/new.toml").write_text(
        '[[stream]]\nname = "secret"\nsource = "test:?size=${SIZE}"\n')
    daemon.reload()
    assert "configuration_kept" in daemon.log() and "${SIZE} is not set" in daemon.log()
    (places / "secrets.toml").write_text('SIZE = "320x180"\n')
    daemon.reload()
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="secret") > 0, 60, "it plays")
    assert daemon.get("/new.ts")[0] == 404

"""The Debian package over an older one, in a copy of this system: it keeps the settings and asks nobody."""

import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

from netlab.daemon import binary

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a copy of the system"),
    pytest.mark.skipif(shutil.which("dpkg-shlibdeps") is None, reason="dpkg-shlibdeps is missing"),
]
CAMERA = '[[stream]]\nname = "camera"\nsource = "srt://:9000?passphrase=${CAMERA}"\n'
# The changes are in memory, and are gone with the process.
COPY = """set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
mount --rbind /dev /mnt/root/dev
exec chroot /mnt/root sh -e -c "$1"
"""


def in_a_copy(*commands):
    """The output of the commands in a copy of this system. Each must succeed, without a terminal."""
    done = subprocess.run(["unshare", "--mount", "sh", "-c", COPY, "sh", "\n".join(commands)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def newer(package, folder):
    """The package as of a later release, whose symcast.toml has another comment."""
    tree = folder / "newer"
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 99:"))
    with (tree / "etc/symcast/symcast.toml").open("a") as config:
        config.write("# A new comment.\n")
    subprocess.run(["dpkg-deb", "-Znone", "-b", tree, folder / "newer.deb"], check=True, capture_output=True)
    return folder / "newer.deb"


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The paths of two packages, the older one first."""
    folder = tmp_path_factory.mktemp("packages")
    build = pathlib.Path(binary()).parent.parent
    subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder], cwd=folder, check=True,
                   capture_output=True)
    [package] = folder.glob("*.deb")
    return package, newer(package, folder)


def install(package):
    # Dependencies that are missing here are allowed: a release declares them.
    return f"dpkg --install --force-depends {shlex.quote(str(package))} >&2"


def write(path, text):
    return f"printf %s {shlex.quote(text)} >{path}"


def test_an_upgrade_asks_nobody_and_keeps_what_was_added(packages):
    older, later = packages
    shown = in_a_copy(
        install(older), write("/etc/symcast/conf.d/camera.toml", CAMERA),
        write("/etc/symcast/secrets.toml", 'CAMERA = "a long passphrase"\n'), install(later),
        "dpkg-query -W -f '${db:Status-Abbrev} ${Version}\n' symcast", "tail -n 1 /etc/symcast/symcast.toml",
        "cat /etc/symcast/conf.d/camera.toml", "stat -c '%U:%G %a' /etc/symcast/secrets.toml",
        "symcast check /etc/symcast/symcast.toml")
    status, comment, *rest = shown.splitlines()
    assert status.startswith("ii  99:")
    assert comment == "# A new comment."
    assert "\n".join(rest).startswith(CAMERA + "root:symcast 640\n")
    assert "camera" in rest[-1]


def test_settings_in_the_main_file_are_kept_as_long_as_the_packages_file_is_the_same(packages):
    _, later = packages
    shown = in_a_copy(install(later), write("/etc/symcast/symcast.toml", CAMERA.replace("${CAMERA}", "x" * 10)),
                      install(later), "cat /etc/symcast/symcast.toml")
    assert shown == CAMERA.replace("${CAMERA}", "x" * 10)


def test_purge_leaves_nothing(packages):
    older, _ = packages
    shown = in_a_copy(install(older), write("/etc/symcast/secrets.toml", 'CAMERA = "a long passphrase"\n'),
                      "dpkg --purge --force-depends symcast >&2",
                      "find /etc /usr /var /lib -path /var/lib/dpkg -prune -o -path '*symcast*' -print",
                      "getent passwd symcast || echo no user")
    assert shown.splitlines()[-1] == "no user"
    assert [line for line in shown.splitlines()[:-1] if line.startswith(("/etc", "/usr/bin", "/var"))] == []

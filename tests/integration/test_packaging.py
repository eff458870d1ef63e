"""The files of an installation: documents whose links work, completion that knows each option, and a
short configuration."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from netlab.daemon import binary
from netlab.network import REPOSITORY

COMMANDS = ("serve", "check", "doctor", "top")
COMPLETION = {"bash": "bash-completion/completions/symcast", "zsh": "zsh/vendor-completions/_symcast",
              "fish": "fish/vendor_completions.d/symcast.fish"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The tree of an installation to /usr, without the program itself."""
    build = pathlib.Path(binary()).parent.parent
    root = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--build", build, "--target", "compressed_documentation"], check=True,
                   capture_output=True)
    subprocess.run(["cmake", "-D", "CMAKE_INSTALL_PREFIX=/usr", "-P", build / "packaging/cmake_install.cmake"],
                   check=True, capture_output=True, env={**os.environ, "DESTDIR": str(root)})
    return root


def etc(root):
    return next(root.rglob("etc/symcast"))


def test_links_of_the_documents_work(installed):
    checked = subprocess.run([sys.executable, REPOSITORY / "scripts/lint_links.py",
                              installed / "usr/share/doc/symcast"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert int(checked.stdout.split()[-4]) > 50, "there are links"


def test_the_configuration_is_short_and_right(installed):
    config = etc(installed) / "symcast.toml"
    assert (etc(installed) / "conf.d").is_dir()
    assert len(config.read_text().splitlines()) < 30
    examples = re.sub(r"^#(?=\[|\w)", "", config.read_text(), flags=re.M)
    (etc(installed) / "secrets.toml").write_text('CAMERA_PASSWORD = "x"\n')
    for text in (config.read_text(), examples):
        config.write_text(text)
        checked = subprocess.run([binary(), "check", config], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
    assert "camera" in checked.stdout, "the examples were read"


@pytest.mark.parametrize("shell", COMPLETION)
def test_completion_has_every_option(installed, shell):
    text = (installed / "usr/share" / COMPLETION[shell]).read_text()
    for command in COMMANDS:
        shown = subprocess.run([binary(), command, "--help"], capture_output=True, text=True,
                               check=True).stdout.split("Examples:")[0]
        options = set(re.findall(r"^ +(?:-\w,)?--([\w-]+)", shown, re.M))
        assert options > {"help"} and re.search(rf"\b{command}\b", text)
        prefix = "-l " if shell == "fish" else "--"
        assert {option for option in options if f"{prefix}{option}" not in text} == set()


def test_bash_completes(installed):
    script = (f"source {installed}/usr/share/{COMPLETION['bash']}; COMP_WORDS=(symcast serve --policy ''); "
              "COMP_CWORD=3; _symcast symcast '' --policy; echo ${COMPREPLY[@]}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["symbiosis", "itcp", "off"]

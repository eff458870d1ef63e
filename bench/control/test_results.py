"""Whose records are whose."""

import json

import pytest

from results import sessions


def write(directory, name, requested):
    (directory / name).write_text(json.dumps({"event": "join", "requested": requested}) + "\n")


def test_sessions_are_in_the_order_of_their_viewers(tmp_path):
    write(tmp_path, "off-cubic-2.jsonl", 5)
    write(tmp_path, "off-cubic-1.jsonl", 7)
    write(tmp_path, "itcp-cubic-3.jsonl", 1)
    assert [lines[0]["requested"] for lines in sessions(tmp_path, "off-cubic", 2)] == [5, 7]


def test_a_viewer_who_never_reached_the_server_has_an_empty_session(tmp_path):
    assert sessions(tmp_path, "off-cubic", 1) == [[]]


def test_of_several_viewers_none_may_be_missing(tmp_path):
    write(tmp_path, "off-cubic-1.jsonl", 7)
    with pytest.raises(RuntimeError, match="1 sessions of 2 viewers"):
        sessions(tmp_path, "off-cubic", 2)

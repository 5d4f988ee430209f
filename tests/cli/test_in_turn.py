"""Two addresses measured in turn by one command, whose exit status is the verdict."""

import json

from made import http_peer
from made.command import perfstudies

FEW = ("--runs", "4", "--requests", "15")


def test_the_slower_of_two_addresses_is_told_by_the_exit_status(tmp_path, capsys):
    with http_peer.running() as peer:
        quick, slow = f"{peer.address}/quick", f"{peer.address}/slow"
        asked = ("measure", "--url", slow, "--compare-with", quick, *FEW, "--json", str(tmp_path / "told.json"))
        assert perfstudies(*asked) == 1
        assert "slower: new / old" in capsys.readouterr().out
        told = json.loads((tmp_path / "told.json").read_text())
        assert told["verdict"] == "slower" and told["old"]["requests"] == told["new"]["requests"] == 60
        assert perfstudies("measure", "--url", quick, "--compare-with", slow, *FEW) == 0
        # In turn: no address has all its runs before the other.
        paths = [path for _, path, *_ in peer.seen[:120]]
        assert 3 <= sum(one != other for one, other in zip(paths, paths[1:], strict=False)) < 8


def test_what_cannot_be_compared_is_another_status(capsys):
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b", *FEW) == 2
    assert "nobody answers at http://127.0.0.1:9/" in capsys.readouterr().err
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/") == 2
    assert perfstudies("measure", "step/users", "--url", "http://127.0.0.1:9/", "--compare-with", "http://x/") == 2

"""Two addresses measured in turn by one command, whose exit status is the verdict."""

import json
from inspect import signature

from made import http_peer
from made.command import perfstudies
from perfstudies.cli import app, in_turn
from perfstudies.cli.commands import measuring

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


def test_a_margin_that_is_none_is_refused_before_anything_is_sent(capsys):
    with http_peer.running() as peer:
        asked = ("measure", "--url", f"{peer.address}/a", "--compare-with", f"{peer.address}/b", *FEW)
        for margin in ("0.9", "inf", "nan"):
            assert perfstudies(*asked, "--margin", margin) == 2
            assert f"margin = {margin}: must be above 1" in capsys.readouterr().err and peer.seen == []


def test_a_verdict_that_cannot_be_written_is_told_before_anything_is_sent(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with http_peer.running() as peer:
        asked = ("measure", "--url", f"{peer.address}/a", "--compare-with", f"{peer.address}/b", *FEW)
        assert perfstudies(*asked, "--junit", str(tmp_path / "file" / "told.xml")) == 2
        assert "told.xml cannot be written" in capsys.readouterr().err and peer.seen == []
        assert perfstudies(*asked, "--json", str(tmp_path)) == 2
        assert "is a directory" in capsys.readouterr().err and peer.seen == []


def test_a_version_that_crashes_is_never_no_slower(monkeypatch, capsys):
    with http_peer.running() as peer:
        asked = ("measure", "--url", f"{peer.address}/new", "--compare-with", f"{peer.address}/old", *FEW)
        answer = peer_handler(peer, monkeypatch)
        for crashed in ("new", "old"):
            answer.update(crashed=crashed, well=20)
            assert perfstudies(*asked) == 2
            told = capsys.readouterr()
            assert f"of 4 runs of setting {crashed} failed; the first: the server does not answer any more" in told.err
            assert "/perfstudies-" not in told.err and "slower" not in told.out


def peer_handler(peer, monkeypatch):
    """Return a mapping: after ``well`` requests of the address ``crashed`` the peer hangs up at it."""
    handled, answer = http_peer._Handler._answer, {}

    def answered(handler, status, body, **headers):
        if handler.path == f"/{answer['crashed']}":
            answer["well"] -= 1
            if answer["well"] < 0:
                handler.close_connection = True
                return
        handled(handler, status, body, **headers)

    monkeypatch.setattr(http_peer._Handler, "_answer", answered)
    return answer


def test_another_machine_s_bound_on_time_is_shared_by_all_runs(monkeypatch):
    asked = []
    monkeypatch.setattr(in_turn, "measure", lambda wanted, *_, **__: asked.append(wanted) or interrupt())
    addresses = ("measure", "--url", "http://test.example.org/a", "--compare-with", "http://test.example.org/b")
    assert perfstudies(*addresses, *FEW, "--consent", "I may load test.example.org") == app.INTERRUPTED
    assert perfstudies(*addresses, "--runs", "10", "--consent", "I may load test.example.org") == app.INTERRUPTED
    assert [one.load.limit_s for one in asked] == [60, 30]


def interrupt():
    raise KeyboardInterrupt


def test_who_interrupts_is_told_that_nothing_is_kept(monkeypatch, capsys):
    monkeypatch.setattr(in_turn, "measure", lambda *_, **__: interrupt())
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b") == 130
    assert capsys.readouterr().err == "error: interrupted; nothing is kept\n"


def test_what_cannot_be_compared_is_another_status(capsys):
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b", *FEW) == 2
    assert "nobody answers at http://127.0.0.1:9/" in capsys.readouterr().err
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/") == 2
    assert perfstudies("measure", "step/users", "--url", "http://127.0.0.1:9/", "--compare-with", "http://x/") == 2
    both = ("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b", *FEW)
    capsys.readouterr()
    for ignored in (["--record"], ["--profile", "standard"], ["--scheduler", "tcp://127.0.0.1:9"]):
        assert perfstudies(*both, *ignored) == 2
        assert "name experiments, with --profile" in capsys.readouterr().err


def test_what_is_said_of_two_addresses_is_not_ignored_with_experiments(capsys):
    asked = ("measure", "step/users", "--runs", "5", "--junit", "verdict.xml")
    assert perfstudies(*asked) == 2
    assert "--runs, --junit: for two addresses, named with --url and --compare-with" in capsys.readouterr().err
    of_experiments = {"context", "experiments", "profile", "seed", "scheduler", "record", "url", "compare_with"}
    assert {*signature(measuring.measure).parameters} == {*measuring.OF_ADDRESSES} | of_experiments

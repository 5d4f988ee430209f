"""A real MariaDB, where one is installed."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.servers import link, mariadb, process, programs


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    if reason := mariadb.unavailable():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("mariadb") / "image"
    mariadb.initialise(folder)
    with mariadb.start(folder) as database:
        database.query("CREATE TABLE port (name VARCHAR(40)); INSERT INTO port VALUES ('Łódź')")
    return folder


@pytest.fixture
def data(image, tmp_path):
    return shutil.copytree(image, tmp_path / "data")


@pytest.mark.parametrize("level", link.LINKS)
def test_it_answers_over_each_link_and_stops_in_order(data, level):
    if reason := link.unavailable(level):
        pytest.skip(reason)
    with mariadb.start(data, level) as database:
        assert database.url == f"jdbc:mariadb://{database.link.host}:{database.port}/flight"
        assert database.version == database.query("SELECT version()")
        assert database.query("SELECT name, char_length(name) FROM port") == "Łódź\t4"
    assert database.process.popen.returncode == 0
    assert "Shutdown complete" in (data / mariadb.LOG).read_text()


def test_every_copy_starts_from_the_same_state(data, image):
    with mariadb.start(data) as database:
        database.query("DELETE FROM port")
    again = shutil.copytree(image, data.with_name("again"))
    with mariadb.start(again) as database:
        assert database.query("SELECT count(*) FROM port") == "1"


def test_it_ends_the_connections_of_others_and_serves_new_ones(data):
    with mariadb.start(data) as database:
        asked = [
            "mariadb",
            "--no-defaults",
            "--protocol=tcp",
            f"--host={database.link.host}",
            f"--port={database.port}",
        ]
        asked += [f"--user={database.user}", "--unbuffered", "--skip-reconnect", mariadb.DATABASE]
        environment = os.environ | {"MYSQL_PWD": database.password}
        with subprocess.Popen(
            asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as other:
            other.stdin.write("SELECT 'here';\n")
            other.stdin.flush()
            assert [other.stdout.readline() for _ in range(2)] == ["here\n"] * 2
            assert database.end_connections() == 1
            said = other.communicate("SELECT 'again';\n")[1]
        assert other.returncode != 0 and "ERROR" in said
        assert database.end_connections() == 0
        assert database.query("SELECT 1") == "1"


def test_a_fresh_folder_is_small(image):
    assert sum(path.stat().st_size for path in image.rglob("*") if path.is_file()) < 40e6


def test_durability_is_the_default(data):
    with mariadb.start(data) as database:
        asked = "SELECT @@innodb_flush_log_at_trx_commit, @@innodb_doublewrite, @@innodb_log_file_size, @@log_bin"
        assert database.query(asked) == "1\t1\t10485760\t0"


def test_it_is_for_this_machine_alone_and_its_account_for_its_database(data):
    with mariadb.start(data) as database:
        connections = psutil.Process(database.process.pid).net_connections()
        assert {one.laddr.ip for one in connections} == {"127.0.0.1"}
        with pytest.raises(SystemFailed, match="denied"):
            database.query("SELECT * FROM mysql.global_priv")


def test_a_bad_start_shows_the_end_of_the_log(tmp_path, image):
    (tmp_path / "ibdata1").write_text("nonsense")
    with pytest.raises(SystemFailed, match="(?s)was not ready and ended.*ERROR.*Aborting"):
        with mariadb.start(tmp_path):
            pass


class Mute(subprocess.Popen):
    """Says nothing and closes its output, but goes on."""

    def __init__(self):
        command = [sys.executable, "-c", "import os, signal; os.close(1); os.close(2); signal.pause()"]
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_one_that_closes_its_output_and_goes_on_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "ENDING_S", 0.1)
    server = mariadb._Server(Mute(), tmp_path / mariadb.LOG, link.Link.choose("local"))
    with pytest.raises(SystemFailed, match="MariaDB: was not ready: it closed its output and goes on"):
        with process.supervised(server, 60, 60):
            pass
    assert not server.alive()


def test_a_log_that_cannot_be_written_ends_it_at_once(tmp_path):
    server = mariadb._Server(Mute(), tmp_path / "none" / mariadb.LOG, link.Link.choose("local"))
    with pytest.raises(SystemFailed, match="MariaDB: was not ready; its log cannot be written: .*No such file"):
        with process.supervised(server, 60, 60):
            pass


def test_a_crash_is_an_error(data):
    with pytest.raises(SystemFailed, match="no answer .*status -9"):
        with mariadb.start(data) as database:
            database.process.popen.kill()
            database.process.popen.wait()
            raise SystemFailed("no answer")


STARTING = """
def killed_while_it_starts(self, timeout_s):
    self.link.connect(self.popen)
    next(line for line in self.popen.stdout if b"InnoDB: End of log" in line)
    print(self.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

mariadb._Server.wait_ready = killed_while_it_starts
"""


@pytest.mark.parametrize("before", ["", STARTING], ids=["running", "starting"])
@pytest.mark.parametrize("level", link.LINKS)
def test_it_ends_when_its_parent_is_killed(data, level, before):
    if reason := link.unavailable(level):
        pytest.skip(reason)
    imports = "import os, pathlib, signal\nfrom perfstudies.servers import mariadb\n"
    parent = f"""
with mariadb.start(pathlib.Path({str(data)!r}), {level!r}) as database:
    print(database.process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", imports + before + parent], capture_output=True, text=True)
    server = int(done.stdout)
    try:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(server).wait(10)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)


def test_a_folder_in_use_is_refused(image):
    with pytest.raises(SystemFailed, match="is not empty"):
        mariadb.initialise(image)


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None if name == "mariadbd" else name)
    assert "need mariadbd: install the packages mariadb-server-core" in mariadb.unavailable()
    with pytest.raises(MissingTool, match="need mariadbd"):
        mariadb.initialise(tmp_path / "data")


def test_set_up_goes_on_without_it(repository, tmp_path):
    script = (repository / "setup/mariadb.sh").read_text().replace("PATH=$PATH:/usr/sbin:/sbin", "PATH=/nowhere")
    for name, text in {"mariadb.sh": script, "packages.sh": (repository / "setup/packages.sh").read_text()}.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["bash", tmp_path / "mariadb.sh"],
        env=os.environ | {"PERFSTUDIES_NO_INSTALL": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.endswith(": mariadb-server-core mariadb-client-core iproute2 util-linux\n")


def test_folders_that_are_made_at_the_same_time_do_not_take_each_other_s_tables(image, tmp_path):
    with ThreadPoolExecutor(6) as several:
        list(several.map(mariadb.initialise, [tmp_path / str(number) for number in range(18)]))

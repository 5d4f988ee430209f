"""The Makefile and the set-up scripts, tried in a copy with stand-ins for the programs they call."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

# What the recipes and scripts need of the system itself.
BASICS = "awk bash cat chmod dirname env find getconf id make mkdir mktemp rm sort touch".split()
# Variables of the caller, who may be make itself, that would decide instead of the test.
CHOSEN = "SOURCE PROFILE MAKEFLAGS MFLAGS MAKELEVEL JAVA_HOME CONDA_PREFIX CONDA_DEFAULT_ENV".split()

# What lint calls, in its order.
CHECKS = ("ruff", "lint-imports", "mypy")

# Stands in for a program of the environment: notes its call, and as `perfstudies reports` writes a report a notebook
# named and the index.
PROGRAM = """#!/bin/sh
echo "${0##*/} $*" >>calls
case "$0 $*" in *"/perfstudies reports "*) ;; *) exit ;; esac
for one in "$@"; do
    case $one in
        notebooks/*.ipynb)
            report=${one#notebooks/}
            report=reports/${report%.ipynb}.html
            [ "$report" = "$(cat broken 2>/dev/null)" ] || { mkdir -p "${report%/*}" && echo page >"$report"; } ;;
    esac
done
mkdir -p reports && echo index >reports/index.html
[ ! -e broken ]
"""


class Copy:
    """A copy of the build files with two notebooks; PATH has BASICS and stand-ins that note calls."""

    def __init__(self, root, repository):
        self.root = root
        self.path = root / "bin"
        self.path.mkdir(parents=True)
        for name in BASICS:
            # Not a link: a stand-in written over it would overwrite the system's own program.
            self.program(name, f'#!/bin/sh\nexec {shutil.which(name)} "$@"\n')
        for name in ("Makefile", "pyproject.toml", "requirements.lock"):
            shutil.copy(repository / name, root)
        shutil.copytree(repository / "setup", root / "setup")
        for file in (
            "notebooks/step/01-a.ipynb",
            "notebooks/step/02-b.ipynb",
            "lib/perfstudies/measure.py",
            "systems/pom.xml",
            "data/raw/reference/step/run.gz",
        ):
            self.write(file)
        self.program("python3", "#!/bin/sh\necho python3 >>calls\n")

    def write(self, file, text=""):
        (self.root / file).parent.mkdir(parents=True, exist_ok=True)
        (self.root / file).write_text(text)

    def touch(self, file):
        """Give a file the newest time of all, without waiting for the clock."""
        newest = max(path.stat().st_mtime_ns for path in self.root.rglob("*") if path.is_file())
        os.utime(self.root / file, ns=(newest + 10**9, newest + 10**9))

    def program(self, name, text):
        self.write(f"bin/{name}", text)
        (self.path / name).chmod(0o755)

    def with_java(self, version="17.0.9"):
        self.program("java", f"#!/bin/sh\necho 'openjdk version \"{version}\" 2023-10-17' >&2\n")
        self.program("javac", f"#!/bin/sh\necho 'javac {version}'\n")
        self.program("mvn", '#!/bin/sh\necho "mvn $*" >>calls\nmkdir -p systems/target systems/step/flight/target')

    def with_python(self):
        """As if set-up had been done, with stand-ins for Python, the command and the checks."""
        for name in ("python", "perfstudies"):
            self.program(f"../.venv/bin/{name}", PROGRAM)
        for name in CHECKS:
            self.program(
                f"../.venv/bin/{name}",
                f'#!/bin/sh\necho "{name} $*" >>calls\n[ "$(cat broken 2>/dev/null)" != {name} ]\n',
            )
        self.write(".venv/.ready", f"{self.root}\n")

    def run(self, *command, **variables):
        kept = {name: value for name, value in os.environ.items() if name not in CHOSEN}
        environment = kept | {"PATH": str(self.path), "PERFSTUDIES_NO_INSTALL": "1"} | variables
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)

    def make(self, *arguments, **variables):
        return self.run("make", *arguments, **variables)

    def calls(self):
        """What was called since the last time of asking."""
        file = self.root / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def copy(tmp_path, repository):
    return Copy(tmp_path / "copy", repository)


@pytest.fixture
def ready(copy):
    copy.with_java()
    copy.with_python()
    return copy


def rendered(calls):
    """Which notebooks were rendered, in their order."""
    return re.findall(r"notebooks/step/(\S+)\.ipynb", "\n".join(call for call in calls if "reports" in call))


def test_help_is_the_default_and_lists_every_target(copy, repository):
    shown = copy.make()
    assert shown.returncode == 0 and shown.stdout == copy.make("help").stdout
    phony = re.search(r"^\.PHONY: (help .*)$", (repository / "Makefile").read_text(), re.M).group(1).split()
    listed = re.findall(r"^  make ([a-z]+) +\S", shown.stdout, re.M)
    assert sorted(listed) == sorted(set(phony) - {"browser", "java"})


@pytest.mark.parametrize(
    ("wrong", "allowed"),
    [
        ("PROFILE=quik", "smoke quick standard full"),
        ("PROFILE=", "smoke quick standard full"),
        ("SOURCE=recorded", "live reference"),
        ("SOURCE=live reference", "live reference"),
    ],
)
def test_unknown_values_are_refused_at_once(ready, wrong, allowed):
    refused = ready.make("reports", wrong)
    assert refused.returncode == 2
    assert f"{wrong} is unknown; allowed: {allowed}" in refused.stderr
    assert ready.calls() == []


@pytest.mark.parametrize("target", "reports test systems record setup reports/step/01-a.html".split())
def test_without_java_live_targets_stop_before_anything_else(copy, target):
    stopped = copy.make(target)
    assert stopped.returncode == 2
    for once in ("javac: not found", "mvn: not found", "conda env create -f", "openjdk-17-jdk"):
        assert stopped.stderr.count(once) == 1
    assert copy.calls() == []
    assert not (copy.root / ".venv").exists()


def test_recorded_runs_need_no_java(copy):
    copy.with_python()
    made = copy.make("reports", "SOURCE=reference")
    assert made.returncode == 0, made.stderr
    calls = copy.calls()
    assert rendered(calls) == ["01-a", "02-b"]
    assert calls == [call for call in calls if "--source reference" in call]


@pytest.mark.parametrize(
    ("version", "accepted"), [("17.0.9", True), ("21", True), ("11.0.2", False), ("1.8.0_392", False)]
)
def test_java_version(copy, version, accepted):
    copy.with_java(version)
    checked = copy.run("setup/java.sh", "--check")
    assert (checked.returncode == 0) is accepted
    assert ("is too old" in checked.stderr) is not accepted


def test_root_on_debian_gets_java_installed_and_is_told(copy):
    copy.with_java()
    installed = {name: copy.path / name for name in ("java", "javac", "mvn")}
    for file in installed.values():
        file.rename(file.with_suffix(".package"))
    copy.program("id", "#!/bin/sh\necho 0\n")
    copy.program("apt-cache", "#!/bin/sh\n")
    copy.program(
        "apt-get",
        '#!/bin/sh\necho "apt-get $*" >>calls\n[ "$1" = update ] || for name in java javac mvn; do\n'
        "    cat bin/$name.package >bin/$name; chmod 755 bin/$name\ndone\n",
    )
    assert copy.run("setup/java.sh", "--check", PERFSTUDIES_NO_INSTALL="").returncode == 1
    assert copy.run("setup/java.sh").returncode == 1
    assert copy.calls() == []
    allowed = copy.run("setup/java.sh", PERFSTUDIES_NO_INSTALL="")
    assert allowed.returncode == 0, allowed.stderr
    assert "Installing with apt-get: openjdk-17-jdk-headless maven" in allowed.stdout
    assert copy.calls()[-1].endswith("openjdk-17-jdk-headless maven")
    copy.run("setup/java.sh", PERFSTUDIES_NO_INSTALL="")
    assert copy.calls() == []


def test_java_home_comes_before_the_path(copy):
    copy.with_java()
    checked = copy.run("setup/java.sh", "--check", JAVA_HOME="/nowhere")
    assert checked.returncode == 1
    assert "java: not found in JAVA_HOME=/nowhere" in checked.stderr


def test_old_python_is_named(copy):
    copy.program("python3", '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 || exit 1\n')
    stopped = copy.make("setup", "SOURCE=reference")
    assert stopped.returncode == 2
    assert "Python 3.11 or newer is needed; python3 is Python 3.9.2." in stopped.stderr
    assert not (copy.root / ".venv").exists()


def test_an_active_conda_environment_is_used(copy):
    copy.program("../conda/bin/python", PROGRAM)
    active = {"CONDA_PREFIX": str(copy.root / "conda"), "CONDA_DEFAULT_ENV": "perfstudies"}
    assert copy.make("setup", "SOURCE=reference", **active).returncode == 0
    calls = copy.calls()
    assert any("pip install" in call and "--no-deps" in call and "--editable ." in call for call in calls)
    assert not any("requirements.lock" in call and "pip" in call for call in calls)
    assert not (copy.root / ".venv" / "bin").exists()
    assert copy.make("setup", "SOURCE=reference", **active).returncode == 0
    assert copy.calls() == []


def test_an_environment_that_came_with_a_copied_folder_is_made_anew(ready):
    ready.program("uv", '#!/bin/sh\necho "uv $*" >>calls\n[ "$1" != venv ] || mkdir .venv\n')
    assert ready.make("setup", "SOURCE=reference").returncode == 0
    assert ready.calls() == []
    copied = Copy.__new__(Copy)
    copied.root = ready.root.with_name("copied")
    copied.path = copied.root / "bin"
    shutil.copytree(ready.root, copied.root)
    made = copied.make("setup", "SOURCE=reference")
    assert made.returncode == 0, made.stderr
    calls = copied.calls()
    assert any(call.startswith("uv venv") for call in calls) and "--editable ." in calls[-1]
    assert not (copied.root / ".venv/bin").exists()  # what named the original is gone
    assert copied.make("setup", "SOURCE=reference").returncode == 0
    assert copied.calls() == []


@pytest.mark.parametrize("brought", [True, False])
def test_without_uv_pip_brings_the_locked_one_or_installs_everything_itself(copy, brought):
    uv = '#!/bin/sh\necho "uv $*" >>calls\n'
    place = "mkdir -p .venv/uv/bin && cat uv.program >.venv/uv/bin/uv && chmod 755 .venv/uv/bin/uv"
    to = f"{place} && cat $9 >asked" if brought else "exit 1"
    pip = f'#!/bin/sh\necho "pip $*" >>calls\ncase "$*" in *--target*) {to};; esac\n'
    copy.program("../uv.program", uv)
    copy.program("../pip.program", pip)
    copy.program(
        "python3",
        '#!/bin/sh\ncase "$*" in *"-m venv"*) mkdir -p .venv/bin && for name in pip python; do\n'
        "    cat pip.program >.venv/bin/$name && chmod 755 .venv/bin/$name\ndone;; esac\n",
    )
    made = copy.make("setup", "SOURCE=reference")
    assert made.returncode == 0, made.stderr
    brings, *installs = copy.calls()
    assert "--require-hashes" in brings and "--target .venv/uv" in brings
    assert [call.split()[0] for call in installs] == ["uv" if brought else "pip"] * 2
    assert all("requirements.lock" in call for call in installs[:1]) and "--editable ." in installs[-1]
    if brought:
        asked = (copy.root / "asked").read_text()
        assert re.match(r"uv==[\d.]+ ", asked) and asked.count("==") == 1 and "--hash=sha256:" in asked


def test_missing_packages_are_those_that_are_not_installed(copy):
    absent = "nosuchpackage==1 ; os_name == 'nt' \\\n    --hash=sha256:ab\n"
    present = "pytest==1 \\\n    --hash=sha256:cd\n"
    copy.write("lock", f"# header\n{absent}    # via x\n{present}    # via y\n")
    assert copy.run(sys.executable, "setup/missing.py", "lock").stdout == absent


def test_live_reports_build_and_then_measure_and_render_in_one_call(ready):
    made = ready.make("-j4", "reports")
    assert made.returncode == 0, made.stderr
    *before, reports = ready.calls()
    compiling, maven = sorted(before, key=lambda call: call.startswith("mvn"))
    assert compiling == "perfstudies compile" and maven.startswith("mvn")
    assert reports == (
        "perfstudies reports --source live --profile quick notebooks/step/01-a.ipynb notebooks/step/02-b.ipynb"
    )


def test_loops_are_compiled_when_they_change_and_for_live_runs_alone(ready):
    ready.write(loop := "lib/perfstudies/models/loop.py")

    def compiled(*arguments):
        assert ready.make("reports", *arguments).returncode == 0
        return ready.calls().count("perfstudies compile")

    assert [compiled("SOURCE=reference"), compiled(), compiled()] == [0, 1, 0]
    ready.touch(loop)
    assert [compiled("SOURCE=reference"), compiled()] == [0, 1]


def test_a_test_checks_the_code_runs_maven_once_and_then_pytest(ready):
    made = ready.make("-j4", "test")
    assert made.returncode == 0, made.stderr
    *checks, maven, pytest_call = ready.calls()
    assert [call.split()[0] for call in checks] == ["ruff", "ruff", "lint-imports", "mypy"]
    assert maven.endswith("verify") and pytest_call == "python -m pytest"


def test_lint_looks_at_everything_in_python_and_changes_nothing(ready):
    assert ready.make("lint").returncode == 0
    check, formatted, *others = ready.calls()
    everything = "lib tests benchmarks notebooks"
    assert (check, formatted) == (f"ruff check {everything}", f"ruff format --check {everything}")
    assert [call.strip() for call in others] == ["lint-imports", "mypy"]


@pytest.mark.parametrize("broken", CHECKS)
def test_what_lint_finds_ends_a_test_before_anything_else_runs(ready, broken):
    ready.write("broken", broken)
    assert ready.make("test").returncode == 2
    assert ready.calls()[-1].startswith(broken)


def test_a_second_call_does_nothing(ready):
    ready.make("reports")
    ready.calls()
    again = ready.make("reports")
    assert again.returncode == 0 and "2 reports are up to date" in again.stdout
    assert ready.calls() == []


def test_code_that_is_compiled_while_reports_are_made_makes_none_of_them_old(ready):
    ready.write("lib/perfstudies/models/loop.py")
    ready.make("reports")
    ready.calls()
    for compiled in ("loop.cpython-311.pyc", "loop.run-44.py311.nbi", "loop.run-44.py311.1.nbc"):
        ready.write(f"lib/perfstudies/models/__pycache__/{compiled}")
        ready.touch(f"lib/perfstudies/models/__pycache__/{compiled}")
    ready.make("reports")
    assert ready.calls() == []
    ready.touch("lib/perfstudies/models/loop.py")
    ready.make("reports")
    assert rendered(ready.calls()) == ["01-a", "02-b"]


def test_a_changed_notebook_alone_is_rendered_again(ready):
    ready.make("reports")
    ready.calls()
    ready.touch("notebooks/step/02-b.ipynb")
    ready.make("reports")
    assert rendered(ready.calls()) == ["02-b"]


@pytest.mark.parametrize("change", ["PROFILE=smoke", "SOURCE=reference"])
def test_another_profile_or_source_renders_again(ready, change):
    ready.make("reports")
    ready.calls()
    ready.make("reports", change)
    assert rendered(ready.calls()) == ["01-a", "02-b"]


def test_changed_recorded_runs_render_again(ready):
    ready.make("reports", "SOURCE=reference")
    ready.calls()
    ready.touch("data/raw/reference/step/run.gz")
    ready.make("reports", "SOURCE=reference")
    assert rendered(ready.calls()) == ["01-a", "02-b"]


def test_what_shows_all_studies_is_rendered_again_when_one_of_theirs_is(ready):
    ready.write("notebooks/findings.ipynb")
    ready.write("notebooks/own-logs.ipynb")
    ready.make("reports", "SOURCE=reference")
    ready.calls()
    ready.touch("notebooks/step/01-a.ipynb")
    ready.make("reports", "SOURCE=reference")
    (call,) = (call for call in ready.calls() if "reports" in call)
    assert "notebooks/findings.ipynb" in call and "step/01-a" in call and "own-logs" not in call


def test_what_shows_all_studies_is_rendered_again_when_a_live_one_was_missing(ready):
    ready.write("notebooks/findings.ipynb")
    ready.make("reports", "SOURCE=live")
    ready.calls()
    (ready.root / "reports/step/02-b.html").unlink()
    ready.make("reports", "SOURCE=live")
    (call,) = (call for call in ready.calls() if "reports" in call)
    assert "notebooks/findings.ipynb" in call and "step/02-b" in call and "01-a" not in call


def test_one_report_renders_one_notebook(ready):
    ready.make("reports/step/02-b.html", "SOURCE=reference")
    assert rendered(ready.calls()) == ["02-b"]
    ready.make("reports", "SOURCE=reference")
    assert rendered(ready.calls()) == ["01-a"]


def test_a_report_that_failed_is_rendered_again_and_others_stay_listed(ready):
    ready.write("broken", "reports/step/01-a.html")
    failed = ready.make("reports", "SOURCE=reference")
    assert failed.returncode == 2
    assert (ready.root / "reports/step/02-b.html").exists() and (ready.root / "reports/index.html").exists()
    ready.calls()
    (ready.root / "broken").unlink()
    assert ready.make("reports", "SOURCE=reference").returncode == 0
    assert rendered(ready.calls()) == ["01-a"]


def test_a_missing_report_is_rendered_again(ready):
    ready.make("reports", "SOURCE=reference")
    ready.calls()
    (ready.root / "reports/step/01-a.html").unlink()
    ready.make("reports", "SOURCE=reference")
    assert rendered(ready.calls()) == ["01-a"]


def test_a_report_is_rendered_before_it_is_printed(ready):
    ready.write("notebooks/paper.ipynb")
    printed = ready.make("reports/paper.pdf", "SOURCE=reference")
    assert printed.returncode == 0, printed.stderr
    rendering, printing = ready.calls()
    assert rendering.startswith("perfstudies reports --source reference")
    assert rendering.endswith("notebooks/paper.ipynb")
    assert printing == "perfstudies pdf reports/paper.html"


@pytest.mark.parametrize(("target", "calls"), [("pages", ["perfstudies pages"]), ("verify", ["perfstudies verify"])])
def test_what_makes_no_runs_needs_no_java(copy, target, calls):
    copy.with_python()
    made = copy.make(target)
    assert made.returncode == 0, made.stderr
    assert copy.calls() == calls


def test_stored_outputs_are_refreshed_notebook_by_notebook(ready):
    assert ready.make("notebooks").returncode == 0
    stored = [call.partition("--store ")[2] for call in ready.calls()]
    assert stored == ["notebooks/step/01-a.ipynb", "notebooks/step/02-b.ipynb"]


def test_notebooks_of_no_study_are_stored_last(ready):
    (ready.root / "notebooks/all.ipynb").touch()
    assert ready.make("notebooks").returncode == 0
    assert ready.calls()[-1].endswith("--store notebooks/all.ipynb")


def test_what_was_measured_is_listed_before_models_read_it(ready):
    assert ready.make("record").returncode == 0
    names = [call.split()[1] for call in ready.calls() if call.startswith("perfstudies")]
    assert names == ["measure", "verify", "simulate", "record-calls", "verify"]


def test_clean_keeps_raw_data_and_what_says_where_the_rest_was(ready):
    for file in ("data/raw/live/step/run.gz", "reports/README.md", "data/processed/README.md"):
        ready.write(file)
    ready.make("reports")
    assert (ready.root / "reports/step/01-a.html").exists()
    assert ready.make("clean").returncode == 0
    for folder in (ready.root / "reports", ready.root / "data/processed"):
        assert [path.name for path in folder.iterdir()] == ["README.md"]
    assert (ready.root / "data/raw/live/step/run.gz").exists()
    assert (ready.root / "data/raw/reference/step/run.gz").exists()


def test_ci_runs_the_command_of_the_readme(repository):
    last = (repository / ".ci/run").read_text().splitlines()[-1]
    assert last == "make test"
    assert re.search(r"^ +make test\b", (repository / "README.md").read_text(), re.M)
    hosted = yaml.safe_load((repository / ".github/workflows/ci.yml").read_text())
    assert [job["steps"][-1] for job in hosted["jobs"].values()] == [{"run": ".ci/run"}]


def test_hooks_before_a_commit_check_as_lint_does_and_fetch_nothing(repository):
    (hooks,) = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text())["repos"]
    assert hooks["repo"] == "local"
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (repository / "Makefile").read_text(), re.M).group(1)
    calls = [hook["entry"].removeprefix(".venv/bin/") for hook in hooks["hooks"]]
    assert calls and [call for call in calls if f"$(TOOLS){call}" not in lint] == []

#!/usr/bin/env bash
# Gives the project its Python: the active conda environment, or else .venv made from the lock by uv or pip.
# Usage: setup/python.sh STAMP, the file that says it is done, and in which folder: an environment names it, so one whose
# folder was moved or copied runs the original's code, and is made anew.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=$1
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

too_old() {
    stop "Python 3.11 or newer is needed; $1 is $("$1" --version 2>&1 || true)." \
        "Install it, or use conda: conda env create -f environment.yml && conda activate perfstudies"
}

# The first Python on the PATH that is new enough; a system's python3 may be older than one beside it.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c "$new_enough" >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

# An environment that somebody else keeps: add what it lacks, at the lock's versions, and change nothing.
use_conda() {
    local python=$CONDA_PREFIX/bin/python lacking
    "$python" -c "$new_enough" 2>/dev/null || too_old "$python"
    lacking=$(mktemp)
    trap 'rm -f "$lacking"' RETURN
    "$python" setup/missing.py requirements.lock >"$lacking"
    if [ -s "$lacking" ]; then
        echo "Adding to the conda environment $CONDA_DEFAULT_ENV what it lacks of requirements.lock"
        "$python" -m pip install --quiet --no-deps --require-hashes -r "$lacking"
    fi
    "$python" -m pip install --quiet --no-deps --no-build-isolation --editable .
}

# Usage: with_uv UV PYTHON.
with_uv() {
    echo "Installing the Python packages of requirements.lock into .venv with uv"
    [ -x .venv/bin/python ] || "$1" venv --quiet --clear --python "$2" .venv
    "$1" pip sync --quiet --python .venv --require-hashes --compile-bytecode requirements.lock
    "$1" pip install --quiet --python .venv --no-deps --no-build-isolation --editable .
}

with_pip() {
    echo "Installing the Python packages of requirements.lock into .venv with pip (some two minutes)"
    [ -x .venv/bin/pip ] || make_venv "$1"
    .venv/bin/pip install --quiet --require-hashes --compile -r requirements.lock
    .venv/bin/pip install --quiet --no-deps --no-build-isolation --editable .
}

make_venv() {
    if ! "$1" -c 'import ensurepip, venv' 2>/dev/null; then
        may_install || stop "This Python cannot make virtual environments." \
            "Install python3-venv (Debian, Ubuntu), uv or conda."
        apt-get update -qq
        install_packages python3-venv
    fi
    "$1" -m venv --clear .venv
}

# uv takes half of pip's time. Where it is missing pip brings the one of the lock, for .venv alone; not every machine has
# one that is built for it.
bring_uv() {
    local pinned
    [ -x .venv/uv/bin/uv ] && return
    [ -x .venv/bin/pip ] || make_venv "$1"
    pinned=$(mktemp)
    trap 'rm -f "$pinned"' RETURN
    awk '/^uv==/ { on = 1 } on { print } on && !/\\$/ { exit }' requirements.lock >"$pinned"
    .venv/bin/pip install --quiet --require-hashes --only-binary :all: --target .venv/uv -r "$pinned" 2>/dev/null
}

if [ -n "${CONDA_PREFIX:-}" ] && [ "${CONDA_DEFAULT_ENV:-base}" != base ]; then
    use_conda
else
    python=$(find_python) || too_old python3
    [ "$(cat "$stamp" 2>/dev/null)" = "$(pwd -P)" ] || rm -rf .venv
    if command -v uv >/dev/null 2>&1; then
        with_uv uv "$python"
    elif bring_uv "$python"; then
        with_uv .venv/uv/bin/uv "$python"
    else
        with_pip "$python"
    fi
fi
mkdir -p "$(dirname "$stamp")"
pwd -P >"$stamp"

#!/usr/bin/env bash
# Makes sure of a JDK 17 or newer and Maven, or stops with what to install. With --check it installs nothing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

OLDEST=17

# JAVA_HOME counts before PATH, as it does for Maven.
tool() {
    if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME/bin/$1"; else command -v "$1" || true; fi
}

# The major version in `javac 17.0.9` or `openjdk version "17.0.9"`; 0 where there is no such program.
major() {
    local text
    text=$("$(tool "$1")" -version 2>&1) || text=""
    [[ $text =~ (javac|version)\ \"?([0-9]+) ]] && echo "${BASH_REMATCH[2]}" || echo 0
}

missing() {
    local where=${JAVA_HOME:+ in JAVA_HOME=$JAVA_HOME} program found
    for program in java javac; do
        found=$(major "$program")
        if [ "$found" = 0 ]; then
            echo "  $program: not found$where"
        elif [ "$found" -lt "$OLDEST" ]; then
            echo "  $program: version $found is too old$where"
        fi
    done
    command -v mvn >/dev/null 2>&1 || echo "  mvn: not found"
}

# Debian 12 and Ubuntu have JDK 17; where a release has left it behind, its default is newer.
jdk_package() {
    if apt-cache show "openjdk-$OLDEST-jdk-headless" >/dev/null 2>&1; then
        echo "openjdk-$OLDEST-jdk-headless"
    else
        echo default-jdk-headless
    fi
}

lacking=$(missing)
if [ -n "$lacking" ] && [ "${1:-}" != --check ] && may_install; then
    echo "A JDK $OLDEST or newer and Maven are needed:"
    echo "$lacking"
    apt-get update -qq
    install_packages "$(jdk_package)" maven
    lacking=$(missing)
fi
[ -z "$lacking" ] || stop \
    "Real servers are measured with a JDK $OLDEST or newer and Maven. Missing here:" \
    "$lacking" \
    "Install them in one of these ways, then call make again:" \
    "  conda:           conda env create -f environment.yml && conda activate perfstudies" \
    "  Debian, Ubuntu:  apt-get install openjdk-$OLDEST-jdk-headless maven" \
    "  elsewhere:       a JDK $OLDEST or newer and Maven 3.8 or newer, with java, javac and mvn on the PATH" \
    "Recorded runs need neither: make reports SOURCE=reference"

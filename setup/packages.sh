# Sourced by the other scripts: what set-up may install by itself, and how it stops.

stop() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Only root on Debian or Ubuntu, and never when PERFSTUDIES_NO_INSTALL is set.
may_install() {
    [ -z "${PERFSTUDIES_NO_INSTALL:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1
}

install_packages() {
    echo "Installing with apt-get: $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

#!/usr/bin/env bash
# Installs HAProxy where it may; otherwise says what is left out. Never stops make.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Debian keeps servers where not every user's PATH leads.
PATH=$PATH:/usr/sbin:/sbin

# The packages of the programs that are not here.
lacking() {
    local found=""
    command -v haproxy >/dev/null || found+=" haproxy"
    command -v setpriv >/dev/null || found+=" util-linux"
    echo "$found"
}

# The package starts a service of its own, which nothing here needs.
keep_stopped() {
    systemctl disable --now haproxy >/dev/null 2>&1 || true
}

packages=$(lacking)
if [ -n "$packages" ] && may_install; then
    # shellcheck disable=SC2086  # one word a package
    apt-get update -qq && install_packages $packages && keep_stopped || true
    packages=$(lacking)
fi
[ -z "$packages" ] ||
    echo "Settings with HAProxy are left out. Missing (names of Debian's packages):$packages"

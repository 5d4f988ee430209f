#!/usr/bin/env bash
# Installs MariaDB and what shapes its network where it may; otherwise says what is left out. Never stops make.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Debian keeps servers and network tools where not every user's PATH leads.
PATH=$PATH:/usr/sbin:/sbin

# The packages of the programs that are not here, each once.
lacking() {
    local found=""
    command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null || found+=" mariadb-server-core"
    command -v mariadb >/dev/null || found+=" mariadb-client-core"
    command -v ip >/dev/null && command -v tc >/dev/null || found+=" iproute2"
    command -v setpriv >/dev/null && command -v unshare >/dev/null || found+=" util-linux"
    echo "$found"
}

packages=$(lacking)
if [ -n "$packages" ] && may_install; then
    # shellcheck disable=SC2086  # one word a package
    apt-get update -qq && install_packages $packages || true
    packages=$(lacking)
fi
[ -z "$packages" ] ||
    echo "Settings with MariaDB or its network are left out. Missing (names of Debian's packages):$packages"

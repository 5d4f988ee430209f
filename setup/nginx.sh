#!/usr/bin/env bash
# Installs nginx for tests where it may; otherwise they are left out. Never stops make.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Debian keeps servers where not every user's PATH leads.
PATH=$PATH:/usr/sbin:/sbin

if ! command -v nginx >/dev/null && may_install; then
    apt-get update -qq && install_packages nginx-light && systemctl disable --now nginx >/dev/null 2>&1 || true
fi
command -v nginx >/dev/null || echo "Tests with nginx are left out. Missing (name of Debian's package): nginx-light"

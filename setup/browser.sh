#!/usr/bin/env bash
# Installs the browser in which the tests look at the reports where it may; otherwise says what is left out. Never stops make.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

found() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
}

if ! found && may_install; then
    apt-get update -qq && install_packages chromium || true
fi
found || echo "Tests of the reports in a browser are left out. Missing: chromium"

#!/usr/bin/env bash
# Brings a machine to the state the build needs: setup.sh [python] [node] [chromium]
# Every part is skipped when its stamp says that it was made from the files as they are now.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

install_from_debian() {
  command -v apt-get >/dev/null || { echo "please install: $* (no apt-get on this machine)" >&2; exit 1; }
  local root=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || { echo "please run: sudo apt-get install $*   and call make again" >&2; exit 1; }
    root=(sudo -n)
  fi
  say "installing from Debian: $*"
  # Debian's package lists age: install from the lists at hand first, and renew them only when that fails.
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

is_fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

find_python() {
  local name
  for name in python3.11 python3 python3.12 python3.13; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo "$name"; return; fi
  done
}

setup_python() {
  local key stamp=.venv/made-from
  key="$(sha256sum pyproject.toml web/build/setup.sh | sha256sum | cut -c1-16)"
  is_fresh "$stamp" "$key" && return
  if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    local python; python="$(find_python)"
    [ -n "$python" ] || { install_from_debian python3; python=python3; }
    "$python" -c 'import ensurepip' 2>/dev/null || install_from_debian python3-venv
    say "making the virtual environment .venv"
    "$python" -m venv .venv
  fi
  say "installing Python packages"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
  echo "$key" >"$stamp"
}

setup_node() {
  local key stamp=web/node_modules/.made-from
  command -v npm >/dev/null || install_from_debian nodejs npm
  key="$(sha256sum web/package.json web/package-lock.json | sha256sum | cut -c1-16)"
  is_fresh "$stamp" "$key" && return
  say "installing npm packages"
  (cd web && npm ci --silent --no-audit --no-fund)
  echo "$key" >"$stamp"
}

setup_chromium() {
  command -v chromium >/dev/null || install_from_debian chromium
}

for part in "$@"; do "setup_$part"; done

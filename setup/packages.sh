#!/usr/bin/env bash
# Installs the Debian packages of setup/debian-packages.txt that this machine lacks, and cargo where there is none.
# Quick, and without network or root, where nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted() {
    sed 's/#.*//' setup/debian-packages.txt
    command -v cargo >/dev/null || echo cargo # it fetches the source of DynamoRIO
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        echo "malloom: these Debian packages are missing: ${missing[*]}; run as root, or install sudo" >&2
        exit 1
    fi
}

if ! command -v dpkg-query >/dev/null; then
    echo "malloom: this is no Debian system; install what setup/debian-packages.txt lists under its own names" >&2
    exit 1
fi
missing=()
for package in $(wanted); do
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing Debian packages: ${missing[*]}"
install=(apt-get install -y -qq --no-install-recommends "${missing[@]}")
# A fresh machine has no package lists, an old one stale lists: both are mended by an update.
if apt-cache show "${missing[@]}" >/dev/null 2>&1; then
    as_root "${install[@]}" && exit 0
fi
as_root apt-get update -qq
as_root "${install[@]}"

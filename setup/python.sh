#!/usr/bin/env bash
# Makes the virtual environment .venv with the pinned Python packages; quick where it is up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

# The first Python that is new enough and can build extension modules: the one on the PATH, else Debian's.
pick_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" - <<'CHECK' 2>/dev/null; then echo "$candidate"; return; fi
import ensurepip, pathlib, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11) or not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())
CHECK
    done
    echo "malloom: no Python 3.11 or newer with its headers; install python3-dev and python3-venv" >&2
    exit 1
}

requirements() {
    .venv/bin/python - <<'LIST'
import pathlib, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
print("\n".join([*project["dependencies"], *project["optional-dependencies"]["dev"]]))
LIST
}

# An environment whose interpreter is gone, or that belongs to another folder, is made afresh.
if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    rm -rf .venv
    "$(pick_python)" -m venv .venv
fi
stamp=$({ requirements; cat setup/python-constraints.txt; } | sha256sum)
[ "$(cat .venv/requirements.sha256 2>/dev/null)" = "$stamp" ] && exit 0
echo "Installing Python packages into .venv"
requirements >.venv/requirements.txt
.venv/bin/python -m pip install --quiet -r .venv/requirements.txt -c setup/python-constraints.txt
echo "$stamp" >.venv/requirements.sha256

#!/usr/bin/env bash
# Makes the virtual environment .venv with the pinned Python packages; quick where it is up to date: setup/python.sh [demo],
# with `demo` only those that malloom is built with and needs, and without those that tests need.
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

# The packages for a purpose: `demo` or `dev`.
requirements() {
    .venv/bin/python - "$1" <<'LIST'
import pathlib, sys, tomllib
content = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
project = content["project"]
more = content["build-system"]["requires"] if sys.argv[1] == "demo" else project["optional-dependencies"]["dev"]
print("\n".join([*project["dependencies"], *more]))
LIST
}

stamp_of() { { requirements "$1"; cat setup/python-constraints.txt; } | sha256sum; }

is_installed() { [ "$(cat ".venv/requirements-$1.sha256" 2>/dev/null)" = "$(stamp_of "$1")" ]; }

# An environment whose interpreter is gone, or that belongs to another folder, is made afresh.
if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    rm -rf .venv
    "$(pick_python)" -m venv .venv
fi
purpose=dev
if [ "${1:-}" = demo ]; then purpose=demo; fi
# Those for development are more.
if is_installed "$purpose" || is_installed dev; then exit 0; fi
echo "Installing Python packages into .venv"
requirements "$purpose" >.venv/requirements.txt
# uv takes a small part of pip's time, but reads none of pip's settings, by which a machine may reach its packages.
.venv/bin/python -m pip install --quiet uv -c setup/python-constraints.txt
.venv/bin/uv pip install --quiet --python .venv/bin/python -r .venv/requirements.txt -c setup/python-constraints.txt ||
    .venv/bin/python -m pip install --quiet -r .venv/requirements.txt -c setup/python-constraints.txt
# uv leaves it to Python to compile a package where it is first imported. Where Python may write nothing beside its sources, as
# in many containers, every start of it would compile all that it imports, which takes longer than everything else that it does.
if [ -n "${PYTHONDONTWRITEBYTECODE:-}" ]; then
    .venv/bin/python -m compileall -q -j 0 \
        -x '/(tests?|testing|plotly|pip|setuptools|mypyc|narwhals|vl_convert|scikit_build_core)/' .venv/lib >/dev/null || true
fi
stamp_of "$purpose" >".venv/requirements-$purpose.sha256"

"""Where commands write: refused before the work begins, or written whole; and printing that fails."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, done_well
from some import some

WRITERS = {
    "plan": ["plan", "run.profile", "--strategy", "size", "--force", "-o"],
    "to-text": ["profile", "to-text", "run.profile", "-o"],
    "from-text": ["profile", "from-text", "run.text", "-o"],
    "record": ["record", "--accesses", "none", "--force", "-o"],
    "optimize": ["optimize", "-o"],
}
PRINTERS = {
    "report": ["report", "run.profile"],
    "json": ["report", "run.profile", "--format", "json"],
    "simulate": ["simulate", "run.profile", "--strategy", "size"],
    "text": ["profile", "to-text", "run.profile"],
    "strategies": ["strategies"],
    "help": ["--help"],
    "environment": ["run", "--print-environment"],
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    """A folder with run.profile, of a run with accesses, and run.text."""
    folder = tmp_path_factory.mktemp("recorded")
    for arguments in (
        ["record", "-o", "run.profile", "--", "ls", "/"],
        ["profile", "to-text", "run.profile", "-o", "run.text"],
    ):
        done_well(folder, *arguments)
    return folder


def files_of(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def refused(malloom, folder: Path, writer: str, output: str) -> str:
    """The one line of a command that cannot write to `output`; nothing changes in the folder."""
    before = files_of(folder)
    program = ["--", "true"] if writer in ("record", "optimize") else []
    done = malloom(*WRITERS[writer], output, *program, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert files_of(folder) == before
    return str(done.stderr)


@pytest.mark.parametrize("writer", some("plan", "record", of=WRITERS))
def test_no_folder(malloom, recorded: Path, writer: str) -> None:
    assert "there is no folder absent" in refused(malloom, recorded, writer, "absent/file").replace(
        f"{recorded}/", ""
    )


@pytest.mark.parametrize("writer", some("to-text", "optimize", of=WRITERS))
def test_a_folder_in_place_of_the_file(malloom, recorded: Path, writer: str) -> None:
    assert "is a folder" in refused(malloom, recorded, writer, "/tmp")


@pytest.mark.parametrize(
    "writer", some("plan", "record", of=[writer for writer in WRITERS if writer != "to-text"])
)
def test_a_device_is_not_replaced(malloom, recorded: Path, writer: str) -> None:
    assert "is no ordinary file" in refused(malloom, recorded, writer, "/dev/zero")
    assert Path("/dev/zero").is_char_device()


@pytest.mark.parametrize("writer", some("plan", of=["plan", "to-text"]))
def test_the_profile_is_not_replaced(malloom, recorded: Path, writer: str) -> None:
    assert "is what is to be read" in refused(malloom, recorded, writer, "run.profile")


@pytest.mark.parametrize(
    ("writer", "kind"),
    some(
        *[("record", "profile"), ("plan", "plan"), ("to-text", "text of a profile")],
        of=[
            ("record", "profile"),
            ("from-text", "profile"),
            ("plan", "plan"),
            ("optimize", "plan"),
            ("to-text", "text of a profile"),
        ],
    ),
)
def test_files_of_another_kind_are_not_replaced(malloom, recorded: Path, writer: str, kind: str) -> None:
    (recorded / "program.c").write_text("int main(void) { return 0; }\n")
    assert f"is no {kind}" in refused(malloom, recorded, writer, "program.c")


@pytest.mark.parametrize("writer", some("plan", of=["plan", "to-text", "from-text"]))
def test_links_stay_links(malloom, recorded: Path, tmp_path: Path, writer: str) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    target.touch()
    link.symlink_to(target)
    assert malloom(*WRITERS[writer], link, cwd=recorded).returncode == 0
    assert link.is_symlink()
    assert target.stat().st_size > 0


@pytest.mark.parametrize("writer", ["plan", "record"])
def test_nothing_is_replaced_unless_it_is_asked_for(malloom, recorded: Path, writer: str) -> None:
    """The same line from both, whatever kind of file it is."""
    (recorded / "old").write_bytes(b"MALLPLAN" if writer == "plan" else b"MALLPROF")
    before = files_of(recorded)
    command = [word for word in WRITERS[writer] if word != "--force"]
    done = malloom(*command, "old", *(["--", "true"] if writer == "record" else []), cwd=recorded)
    assert (done.returncode, done.stdout) == (2, "")
    path = "old" if writer == "plan" else recorded / "old"
    said = "exists already; choose another name, or replace it with --force"
    assert done.stderr == f"malloom: {path} {said}\n"
    assert files_of(recorded) == before


@pytest.mark.parametrize("writer", some("plan", "record", of=WRITERS))
def test_files_of_its_kind_are_replaced(malloom, recorded: Path, writer: str) -> None:
    kind = {"to-text": b"malloom profile text", "plan": b"MALLPLAN", "optimize": b"MALLPLAN"}
    target = recorded / "replaced"
    target.write_bytes(kind.get(writer, b"MALLPROF") + b"old")
    program = ["--seconds", "0", "--", "true"] if writer == "optimize" else ["--", "true"]
    more = program if writer in ("record", "optimize") else []
    assert malloom(*WRITERS[writer], target, *more, cwd=recorded).returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "odd\udcff"],
        ["run", "--plan", "odd\udcff", "--", "true"],
        ["record", "-o", "new\udcff", "--", "true"],
    ],
)
def test_files_whose_names_are_no_utf_8(malloom, recorded: Path, arguments: list[str]) -> None:
    (recorded / "odd\udcff").write_bytes((recorded / "run.profile").read_bytes())
    done = malloom(*arguments, cwd=recorded)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert "is not UTF-8; rename" in done.stderr


def test_odd_names_of_programs_are_reported(malloom, recorded: Path) -> None:
    odd = "./odd\udcfe\n"
    shutil.copy("/bin/echo", recorded / odd)
    done = malloom("record", "--force", "-o", "other.profile", "--", odd, "\udcff", cwd=recorded, text=False)
    assert (done.returncode, done.stdout) == (0, b"\xff\n")
    shown = malloom("report", "other.profile", "--format", "json", cwd=recorded)
    assert json.loads(shown.stdout)["process"]["arguments"] == [odd, "\udcff"], shown.stderr


def test_a_full_device(malloom, recorded: Path) -> None:
    done = malloom(*WRITERS["to-text"], "/dev/full", cwd=recorded)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left" in done.stderr


@pytest.mark.parametrize("printer", some("report", "help", of=PRINTERS))
def test_there_is_no_room_for_what_is_printed(malloom, recorded: Path, printer: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = malloom(
            *PRINTERS[printer], cwd=recorded, stdout=full, stderr=subprocess.PIPE, capture_output=False
        )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "No space left" in done.stderr


def shell(folder: Path, arguments: list[str], redirections: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/bash", "-c", f'"$@" {redirections}', "bash", COMMAND, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("printer", some("text", "environment", of=PRINTERS))
def test_standard_output_is_closed(recorded: Path, printer: str) -> None:
    done = shell(recorded, PRINTERS[printer], ">&-")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert "Bad file descriptor" in done.stderr


@pytest.mark.parametrize("printer", some("report", "text", of=PRINTERS))
def test_the_reader_has_seen_enough(recorded: Path, printer: str) -> None:
    done = shell(recorded, PRINTERS[printer], "| true")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_would_go_to_a_closed_standard_error_goes_nowhere(recorded: Path) -> None:
    done = shell(recorded, [*WRITERS["record"], "other.profile", "--", "true"], "2>&-")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_closed_standard_input_is_empty(recorded: Path) -> None:
    done = shell(recorded, ["profile", "from-text", "-", "-o", "other.profile"], "<&-")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_program_is_started_without_the_streams_that_malloom_lacks(recorded: Path, stream: int) -> None:
    test = "for n in 0 1 2; do test -e /proc/$$/fd/$n || missing=$missing$n; done; exit 1$missing"
    done = shell(recorded, ["run", "--", "sh", "-c", test], f"{stream}>&-")
    assert done.returncode == 10 + stream


def test_this_folder_is_gone(malloom, tmp_path: Path) -> None:
    command = 'mkdir gone && cd gone && rmdir ../gone && "$@"'
    arguments = ["record", "-o", "profile", "--", "true"]
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", COMMAND, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "malloom: the system refuses: No such file or directory\n")


def test_a_group_without_a_command_shows_its_help(malloom) -> None:
    done = malloom("profile")
    assert (done.returncode, done.stderr) == (2, "")
    assert "\n  to-text " in done.stdout

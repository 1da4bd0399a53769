"""Builds of a program by the policies of malloom-cc: rows of the race, whose user has its source.

The build command runs as its user would type it, with a compiler in the place of {cc} and {cxx} that adds
options. What it makes of the program is copied, and the program as it was comes back in the end.
"""

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from malloom.errors import CommandError, UsageProblem
from malloom.launch.program import find_program, interpreter_of
from malloom.measure import stages
from malloom.measure.allocators import Setting
from malloom.measure.process import Command, TimeLimitReached, ended, last_line
from malloom.native_files import native_file
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.structures import Structures

COMPILERS = {"{cc}": "malloom-cc", "{cxx}": "malloom-c++"}
"""What a build command has in the place of its compilers."""
NONE, OVERHEAD_ONLY, POOL = "none", "overhead-only", "pool"
WITH_POOLS = (POOL, "hot-cold", "default", "maximal")
POLICIES = (NONE, OVERHEAD_ONLY, *WITH_POOLS)
"""Of malloom-cc; the first two make no pools, and tell what these gain."""
BY_PROFILE = ("hot-cold", "default")
"""Those that go by what was recorded."""
MIMALLOC = "mimalloc"
"""Of -fmalloom-fallback: linked in, it serves all that comes from no pool."""
EARLY = "early"
"""Of -fmalloom-huge: when pools ask for huge pages."""
MOST_LINKS = 4096
"""Of what lies beside a program: folders of more are no program's."""
LONGEST_BUILD = 1800.0
"""Seconds, of one build."""

WRAPPER = """#!/bin/sh
# The compiler of one build: what it links tells which policy each structure has.
folder={folder}
before= output=a.out links=yes
for word do
    case $word in
        -c | -S | -E | -M | -MM | --version) links= ;;
        -o) ;;
        -o*) output=${{word#-o}} ;;
        --output=*) output=${{word#--output=}} ;;
    esac
    [ "$before" = -o ] && output=$word
    before=$word
done
[ "$links" ] && echo >> "$folder/used"
while read -r option; do set -- "$@" "$option"; done < "$folder/options"
exec {compiler} -g "$@" "-fmalloom-write-choice=$folder/choices/$(basename "$output")"
"""


class CompilersIgnored(CommandError):
    """A build went by none of the compilers that it was given; the next one will not either."""


@dataclass(frozen=True)
class Build:
    """A row: the program as a policy builds it, and over a general allocator where one is named.

    `choice` is the policies a structure that its link wrote, None where it wrote none; `fields` is the table
    that it goes by. `mixed` names the structures that have another policy, `fallback` the allocator that is
    linked in the place of the C library's, `huge` when pools ask for huge pages; both are empty where the
    compiler's default holds.
    """

    policy: str
    executable: Path
    choice: Path | None = None
    fields: Path | None = None
    over: Setting | None = None
    mixed: str = ""
    fallback: str = ""
    huge: str = ""

    kind = "build"

    @property
    def name(self) -> str:
        by = " by a profile" if self.fields else ""
        by += f", {self.mixed}" if self.mixed else ""
        by += f", {self.fallback} linked in" if self.fallback else ""
        by += f", {self.huge} huge pages" if self.huge else ""
        over = f" over {AllocatorRow(self.over).name}" if self.over else ""
        return f"built with {self.policy}{by}{over}"

    def with_policies(self, policies: Mapping[int, str]) -> "Build":
        """As it is called with other policies for some of its structures, by their numbers."""
        assert self.structures is not None
        by = (f"{self.structures.name(number)} by {each}" for number, each in policies.items())
        return replace(self, mixed=" and ".join(by))

    @cached_property
    def environment(self) -> Mapping[str, str]:
        return AllocatorRow(self.over).environment if self.over else {}

    @property
    def may_be_kept(self) -> bool:
        """Whether a choice can say how it was built: functions that are inlined for nothing it cannot."""
        return self.policy != OVERHEAD_ONLY

    @cached_property
    def structures(self) -> Structures | None:
        """What it has done with each structure, where its link has told that."""
        return Structures.of(self.choice.read_text()) if self.choice else None


@dataclass
class Builder:
    """Builds a program again and again, in the folder that its user is in. `command` is his, for a shell;
    `folder` is for copies."""

    command: str
    program: Path
    folder: Path
    say: Callable[[str], None]
    seconds: float = 0.0
    """That the latest build took."""

    def build(self, policy: str, fields: Path | None = None) -> Build:
        """Raises CommandError where the build fails, or makes no program by this compiler."""
        return self._built(Build(policy, Path(), fields=fields), f"-fmalloom-policy={policy}")

    def mixed(self, build: Build, policies: Mapping[int, str]) -> Build:
        """The same with other policies for some of its structures, by their numbers. Raises the same."""
        assert build.structures is not None
        given = self.folder / "mixed.choice"
        given.write_text(build.structures.changed(policies).text)
        with put_back(self.program, self.folder):
            return self._built(build.with_policies(policies), f"-fmalloom-choice={given}")

    def linked(self, build: Build) -> Build:
        """A build anew that was given another fallback, or other huge pages. Raises the same."""
        option = f"-fmalloom-choice={build.choice}" if build.mixed else f"-fmalloom-policy={build.policy}"
        with put_back(self.program, self.folder):
            return self._built(build, option)

    def _built(self, made: Build, option: str) -> Build:
        self.say(f"building {made.name.removeprefix('built ')}")
        began = time.monotonic()
        own = Path(tempfile.mkdtemp(prefix="build-", dir=self.folder))
        profile = [f"-fmalloom-profile={made.fields}"] if made.fields else []
        fallback = [f"-fmalloom-fallback={made.fallback}"] if made.fallback else []
        huge = [f"-fmalloom-huge={made.huge}"] if made.huge else []
        self._set_up([option, *profile, *fallback, *huge])
        linked = self.program.resolve()
        linked.unlink(missing_ok=True)
        self._run()
        if not self.program.is_file():
            raise CommandError(f"the build made no {self.program}")
        if not (self.folder / "used").exists():
            raise CompilersIgnored("the build links with neither {cc} nor {cxx}, so it made the same program")
        executable = beside_links(self.program, own / "run")
        shutil.copy2(self.program, executable)
        self.seconds = time.monotonic() - began
        names = (self.folder / "choices" / name for name in (self.program.name, linked.name))
        choice = next((name for name in names if name.is_file()), None)
        return replace(made, executable=executable, choice=_kept(choice, own / "choice") if choice else None)

    def _set_up(self, options: Sequence[str]) -> None:
        """The compilers stay where they are, as some builds begin anew for others."""
        (self.folder / "options").write_text("".join(f"{option}\n" for option in options))
        (self.folder / "used").unlink(missing_ok=True)
        shutil.rmtree(self.folder / "choices", ignore_errors=True)
        (self.folder / "choices").mkdir()
        for name in COMPILERS.values():
            wrapper = self.folder / name
            text = WRAPPER.format(
                folder=shlex.quote(str(self.folder)), compiler=shlex.quote(str(native_file(name)))
            )
            wrapper.write_text(text)
            wrapper.chmod(0o755)

    def _run(self) -> None:
        text = self.command
        for placeholder, name in COMPILERS.items():
            text = text.replace(placeholder, shlex.quote(str(self.folder / name)))
        with ended(Command(["sh", "-c", text], time_limit=LONGEST_BUILD)) as run:
            if run.status != 0:
                said = last_line(run.errors.read()) or last_line(run.output.read())
                raise CommandError(f"the build fails: {said or f'exit status {run.status}'}")


@dataclass
class Builds:
    """What came of all builds: rows, and why others are missing, by name."""

    rows: list[Build] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    builder: Builder | None = None
    """Makes more of them."""
    hopeless: str = ""
    """Why no other build is tried: it would end as the last one has."""

    def of(self, policy: str) -> Build | None:
        return next((row for row in self.rows if row.policy == policy and row.fields is None), None)

    def add(self, row: Build) -> Build | None:
        """Unless it is the same program as another row: then None."""
        content = row.executable.read_bytes()
        for other in self.rows:
            if other.executable.read_bytes() == content:
                self.left[row.name] = f"it is the same program as {other.name.removeprefix('built with ')}"
                return None
        self.rows.append(row)
        return row

    def mixed(self, build: Build, policies: Mapping[int, str]) -> Build | None:
        """A row with other policies for some of a row's structures; None where there is none."""
        assert self.builder is not None
        builder = self.builder
        return self._made(build.with_policies(policies).name, lambda: builder.mixed(build, policies))

    def linked(self, build: Build) -> Build | None:
        """A row of a build that was given something else to link; None where there is none."""
        assert self.builder is not None
        builder = self.builder
        return self._made(build.name, lambda: builder.linked(build))

    def _made(self, name: str, build: Callable[[], Build]) -> Build | None:
        if self.hopeless:
            self.left[name] = self.hopeless
            return None
        try:
            return self.add(build())
        except (CommandError, OSError) as error:
            self.left[name] = str(error)
            if isinstance(error, (CompilersIgnored, TimeLimitReached)):
                self.hopeless = str(error)
            return None

    def build(self, policy: str, fields: Path | None) -> None:
        """A row of a policy."""
        assert self.builder is not None
        builder = self.builder
        self._made(Build(policy, Path(), fields=fields).name, lambda: builder.build(policy, fields))


def check_build(command: str, program: str) -> None:
    """Raises UsageProblem for a build command or a program of which no builds can be made."""
    if not any(placeholder in command for placeholder in COMPILERS):
        raise UsageProblem(
            "the build command has no {cc} or {cxx} that another compiler could take the place of",
            remedy="write it as in 'make clean all CC={cc} CXX={cxx}'",
        )
    if "/" not in program:
        raise UsageProblem(
            f"{program} is not named as a file that the build makes", remedy=f"name it as ./{program}"
        )
    if not Path(program).exists():
        raise UsageProblem(
            f"there is no {program} yet", remedy="build it as always first: that is what all is compared with"
        )
    if interpreter_of(Path(find_program(program))) != Path(program):
        raise UsageProblem(
            f"{program} is a script", remedy="name the program that it runs, and what that needs"
        )


@contextmanager
def put_back(program: Path, folder: Path) -> Iterator[None]:
    """Has the program as it was at its place again after the block, whatever happens in it: it waits beside
    that, as a full disk has no room for it to come back. One that removes the folder has a copy. Where the
    program is a link, both come back."""
    file, link = program.resolve(), program.readlink() if program.is_symlink() else None
    saved, beside = folder / "as it is", file.with_name(f".malloom-{os.getpid()}")
    shutil.copy2(file, saved)
    _link(file, beside)
    try:
        yield
    finally:
        if not beside.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(saved, beside)
        beside.replace(file)
        if link is not None and not (program.is_symlink() and program.readlink() == link):
            program.unlink(missing_ok=True)
            program.symlink_to(link)


def _link(program: Path, beside: Path) -> None:
    """Where the file system has no second names, or not for others' files, a copy."""
    beside.unlink(missing_ok=True)
    try:
        os.link(program, beside)
    except OSError:
        shutil.copy2(program, beside)


def beside_links(program: Path, own: Path) -> Path:
    """A place for a copy of a program, beside links to what lies beside the program, and below links to what
    lies beside its folder: programs look for libraries and data there."""
    folder = program.resolve().parent
    place = own / (folder.name or "root")
    place.mkdir(parents=True)
    for beside, links in ((folder, place), (folder.parent, own)):
        for entry in islice(beside.iterdir(), MOST_LINKS):
            is_program = links is place and entry.name == program.name
            if not is_program and not (links / entry.name).exists():
                (links / entry.name).symlink_to(entry)
    return place / program.name


def build_all(builder: Builder, record: Callable[[Path], Path | None]) -> Builds:
    """The program by every policy, and by those that choose with what `record` says of the program without
    pools: a table of fields, or None where there is none to be had."""
    builds = Builds(builder=builder)
    with put_back(builder.program, builder.folder):
        for policy in POLICIES:
            builds.build(policy, None)
        plain = builds.of(NONE)
        fields = record(plain.executable) if plain else None
        for policy in BY_PROFILE:
            if fields:
                builds.build(policy, fields)
            elif not plain:
                name = Build(policy, Path(), fields=builder.folder).name
                builds.left[name] = "there is no program without pools whose fields could be recorded"
    return builds


def fields_of(profile: Path, table: Path) -> Path:
    """The table of fields of a recorded run. Raises CommandError where it has no accesses."""
    stages.output_of("profile", "fields", str(profile), "-o", str(table))
    return table


def _kept(choice: Path, place: Path) -> Path | None:
    if not choice.is_file():
        return None
    shutil.move(choice, place)
    return place

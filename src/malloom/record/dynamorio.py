"""How a program is started under DynamoRIO with the recorder of accesses."""

from malloom.native_files import native_file


def launch_prefix(accesses: str) -> tuple[list[str], dict[str, str]]:
    """What comes before the program's path on the command line, and environment variables beside it.

    Raises CommandError where the installation lacks a part.
    """
    launcher = native_file("malloom_launch")
    client = native_file("libmalloom_accesses.so")
    core = native_file("libdynamorio.so")
    options = "limit=4000000 burst=1000000 gap=20" if accesses == "sampled" else ""
    return [str(launcher), str(core), str(client), options, "--"], {}

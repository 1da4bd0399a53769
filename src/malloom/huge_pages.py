"""To whom the kernel gives huge pages."""

from pathlib import Path

KERNEL = Path("/sys/kernel/mm/transparent_hugepage")


def chosen_huge_pages(kernel: Path = KERNEL) -> str:
    """`always` to all, `madvise` to who asks, `never` to none; empty where the kernel has no such setting.

    Newer kernels have a setting for each size, which may override that for all.
    """
    return next((word for word in map(_chosen, _files(kernel)) if word != "inherit"), "")


def _files(kernel: Path) -> tuple[Path, Path]:
    """That of the size that malloom's heaps ask for, and that for all sizes."""
    return kernel / "hugepages-2048kB/enabled", kernel / "enabled"


def _chosen(file: Path) -> str:
    """The word in brackets, as in `always [madvise] never`."""
    try:
        return file.read_text(encoding="ascii").partition("[")[2].partition("]")[0]
    except OSError:
        return "inherit"

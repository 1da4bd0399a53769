"""The one environment variable in which malloom's libraries find their settings.

A program that copies its environment makes a request for each. It must make as many when it runs with
a plan as when it was recorded, or its requests are no longer the recorded ones: so there is one variable,
whatever the settings are.
"""

import os

VARIABLE = "MALLOOM"


def settings(**values: str) -> dict[str, str]:
    """The variable with these settings, in the form of runtime/platform/settings.h: a path comes last, and
    others say their length."""
    ordered = sorted(values.items(), key=lambda setting: setting[1].startswith("/"))
    counted = [f"{name}={_counted(value)}" for name, value in ordered[:-1]]
    return {VARIABLE: ",".join(counted + [f"{name}={value}" for name, value in ordered[-1:]])}


def _counted(value: str) -> str:
    is_plain = not value.startswith("/") and not {",", ":"} & set(value)
    return value if is_plain else f"{len(os.fsencode(value))}:{value}"


def with_trust(variables: dict[str, str], up_to: int, huge_beyond: bool = False) -> dict[str, str]:
    """The same where the run time leaves another general allocator below it at so many bytes, if not at 0,
    for the C library's, with or without huge pages. Without variables there was to be no run time."""
    if not up_to:
        return variables
    there = variables or settings(heap="fallback", fallback="system")
    is_told = f",{there[VARIABLE]}".find(",fallback_huge_pages=") >= 0  # by the user, who is to have it
    huge = with_setting(there, "fallback_huge_pages", "1") if huge_beyond and not is_told else there
    return with_setting(huge, "fallback_up_to", str(up_to))


def with_setting(environment: dict[str, str], name: str, value: str) -> dict[str, str]:
    """The environment with one setting more, before those that it has."""
    return {**environment, VARIABLE: f"{name}={value},{environment[VARIABLE]}"}

"""Structures of the programs, and their fields."""

# ruff: noqa: E501, PLR0911 (lines of the programs that it writes)
from __future__ import annotations

from dataclasses import dataclass, field

INTEGERS = ("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long")


@dataclass
class Field:
    name: str
    kind: str
    bits: int = 0

    def declared(self) -> str:
        if self.kind == "array":
            return f"int {self.name}[3];"
        if self.kind == "words":
            return f"long {self.name}[4];"
        if self.kind == "text":
            return f"char {self.name}[12];"
        if self.kind == "union":
            return f"union {{ long n; double d; unsigned char c[8]; }} {self.name};"
        if self.kind == "bits":
            return f"unsigned {self.name} : {self.bits};"
        if self.kind in ("pair", "inner", "large"):
            return f"struct {self.kind} {self.name};"
        return f"{self.kind} {self.name};"

    def set(self, at: str, value: str) -> str:
        """Statements that give the field a value."""
        place = f"{at}->{self.name}"
        if self.kind in ("array", "words"):
            count = 3 if self.kind == "array" else 4
            element = "int" if self.kind == "array" else "long"
            return f"for (int i = 0; i < {count}; ++i) {place}[i] = ({element})(({value}) % 1000 + i);"
        if self.kind == "text":
            return f'memset({place}, 0, sizeof {place}); snprintf({place}, sizeof {place}, "t%u", ({value}) % 1000);'
        if self.kind == "union":
            return f"{place}.n = (long)(({value}) % 5000);"
        if self.kind == "bits":
            return f"{place} = ({value}) & {(1 << self.bits) - 1}u;"
        if self.kind == "pair":
            return f"{place}.one = (int)(({value}) % 777); {place}.other = (int)(({value}) % 555);"
        if self.kind == "inner":
            return (
                f"{place}.first = (int)(({value}) % 777); {place}.second = (short)(({value}) % 99); "
                f"{place}.third = (char)(({value}) % 50);"
            )
        if self.kind == "large":
            return f"for (int i = 0; i < 5; ++i) {place}.parts[i] = (long)(({value}) % 100 + i);"
        return f"{place} = ({self.kind})(({value}) % 100);"

    def read(self, at: str) -> str:
        place = f"{at}->{self.name}"
        if self.kind in ("array", "words"):
            return f"mix((unsigned long){place}[{'2' if self.kind == 'array' else '3'}] + (unsigned long){place}[0]);"
        if self.kind == "text":
            return f"mix(strlen({place}) + (unsigned char){place}[1]);"
        if self.kind == "union":
            return f"mix((unsigned long){place}.n);"
        if self.kind == "pair":
            return f"mix((unsigned long){place}.one * 3 + (unsigned long){place}.other);"
        if self.kind == "inner":
            return f"mix((unsigned long){place}.first + (unsigned long){place}.second * 5 + (unsigned long){place}.third);"
        if self.kind == "large":
            return f"mix((unsigned long){place}.parts[1] + (unsigned long){place}.parts[4]);"
        if self.kind in ("float", "double"):
            return f"mix((unsigned long)(long){place});"
        return f"mix((unsigned long){place});"


@dataclass
class Structure:
    name: str
    shape: str
    is_clean: bool
    fields: list[Field]
    links: list[str]
    other: str = ""
    is_packed: bool = False
    deletes: bool = True
    rows: str = ""  # how an array of structures is made that is followed
    operations: list[str] = field(default_factory=list)
    members: str = ""  # as they are declared

    @property
    def type(self) -> str:
        return f"struct {self.name}"

    def of_kind(self, *kinds: str) -> list[Field]:
        return [each for each in self.fields if each.kind in kinds]

"""The chunks of a profile as bytes, to be taken apart and put together under checksums that hold."""

from __future__ import annotations

import numpy as np

from malloom import _native, formats

FILE_HEADER = 64
HEADER = formats.dtype("profile", "ChunkHeader")
HEADER_BYTES = HEADER.itemsize


def checksum(data: bytes) -> int:
    return _native.checksum(np.frombuffer(data, dtype=np.uint8))


def chunks_of(profile: bytes) -> list[bytes]:
    """All of them, each with its header."""
    chunks, at = [], FILE_HEADER
    while at < len(profile):
        end = at + HEADER_BYTES + field_of(profile[at:], "stored_bytes")
        chunks.append(profile[at:end])
        at = end
    return chunks


def field_of(chunk: bytes, name: str) -> int:
    return int(np.frombuffer(chunk, HEADER, count=1)[name][0])


def resealed(chunk: bytes, payload: bytes | None = None, **fields: int) -> bytes:
    """The chunk with another payload and other fields of its header."""
    header = np.frombuffer(chunk, HEADER, count=1).copy()
    stored = chunk[HEADER_BYTES:] if payload is None else payload
    header["stored_bytes"], header["payload_checksum"] = len(stored), checksum(stored)
    for name, value in fields.items():
        header[name] = value
    header["header_checksum"] = checksum(header.tobytes()[: HEADER.fields["header_checksum"][1]])
    return header.tobytes() + stored

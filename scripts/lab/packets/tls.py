"""TLS 1.3 (RFC 8446) read from outside, by the keys that one of its ends wrote down in the format of SSLKEYLOGFILE."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from lab.packets.flows import Bytes, Torn

_HANDSHAKE, _DATA = 22, 23
_FINISHED = 20
_RECORD_HEADER = 5
# By cipher suite (appendix B.4): the digest, the length of the key, and what decrypts.
_SUITES: dict[int, tuple[str, int, Callable]] = {
    0x1301: ("sha256", 16, AESGCM),
    0x1302: ("sha384", 32, AESGCM),
    0x1303: ("sha256", 32, ChaCha20Poly1305),
}

# With which a connection begins that is TLS: its first record's type.
BEGINNING = bytes([_HANDSHAKE])
# Secrets by the client's random and their label.
Keys = dict[tuple[bytes, str], bytes]


@dataclass
class Secured:
    """One direction of a connection: when its hello began, when its Finished was complete, and the bytes within."""

    hello: int
    finished: int | None = None
    bytes: Bytes = field(default_factory=Bytes)


def read_keys(file: Path) -> Keys:
    keys: Keys = {}
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        label, random, secret = line.split()
        keys[bytes.fromhex(random), label] = bytes.fromhex(secret)
    return keys


def decrypt(sent: Bytes, received: Bytes, keys: Keys) -> tuple[Secured, Secured]:
    """The client's direction and the server's, of a connection that begins with a ClientHello."""
    hello, answer = _first_message(sent), _first_message(received)
    # Of both messages: the type, three bytes of length, two of the version, then the random; a session's id follows.
    random = hello[6:38]
    suite = int.from_bytes(answer[39 + answer[38] : 41 + answer[38]], "big")
    if suite not in _SUITES:
        raise Torn(f"cipher suite {suite:#06x} is not of TLS 1.3")
    return _read(sent, "CLIENT", random, suite, keys), _read(received, "SERVER", random, suite, keys)


def _first_message(stream: Bytes) -> bytes:
    kind, payload, *_ = next(_records(stream))
    if kind != _HANDSHAKE:
        raise Torn(f"a record of type {kind} stands where a hello should")
    return payload


def _records(stream: Bytes) -> Iterator[tuple[int, bytes, bytes, int, int]]:
    """Each record that came whole: its type, its payload, its header, and the stamps of its first and last byte."""
    data, place = stream.data, 0
    while place + _RECORD_HEADER <= len(data):
        header = bytes(data[place : place + _RECORD_HEADER])
        end = place + _RECORD_HEADER + int.from_bytes(header[3:], "big")
        if end > len(data):
            return
        yield header[0], bytes(data[place + _RECORD_HEADER : end]), header, stream.began(place), stream.came(end - 1)
        place = end


def _read(stream: Bytes, side: str, random: bytes, suite: int, keys: Keys) -> Secured:
    result = Secured(stream.came(0))
    epoch = _Epoch(_secret(keys, random, f"{side}_HANDSHAKE_TRAFFIC_SECRET"), suite)
    handshake = bytearray()
    for kind, payload, header, began, ended in _records(stream):
        if kind != _DATA:
            # A hello, or what is there for the sake of middleboxes (appendix D.4).
            continue
        inner, content = epoch.open(payload, header)
        if inner == _DATA:
            result.bytes.append(content, began, ended)
        elif inner == _HANDSHAKE and result.finished is None:
            handshake += content
            if _ends_with_finished(handshake):
                result.finished = ended
                epoch = _Epoch(_secret(keys, random, f"{side}_TRAFFIC_SECRET_0"), suite)
    return result


def _secret(keys: Keys, random: bytes, label: str) -> bytes:
    try:
        return keys[random, label]
    except KeyError:
        raise Torn(f"no {label} of a connection was written down") from None


def _ends_with_finished(messages: bytearray) -> bool:
    place = 0
    while place + 4 <= len(messages):
        end = place + 4 + int.from_bytes(messages[place + 1 : place + 4], "big")
        if end <= len(messages) and messages[place] == _FINISHED:
            return True
        place = end
    return False


class _Epoch:
    """The keys of one direction for one part of the connection (section 7.3), and how many records they have opened."""

    def __init__(self, secret: bytes, suite: int):
        digest, length, kind = _SUITES[suite]
        self._cipher = kind(expand_label(secret, "key", length, digest))
        self._iv = int.from_bytes(expand_label(secret, "iv", 12, digest), "big")
        self._count = 0

    def open(self, payload: bytes, header: bytes) -> tuple[int, bytes]:
        """The inner type and the content, without padding (section 5.4)."""
        nonce = (self._iv ^ self._count).to_bytes(12, "big")
        self._count += 1
        try:
            inner = self._cipher.decrypt(nonce, payload, header).rstrip(b"\0")
        except InvalidTag as error:
            raise Torn(f"record {self._count} of an epoch cannot be decrypted") from error
        return inner[-1], inner[:-1]


def expand_label(secret: bytes, label: str, length: int, digest: str) -> bytes:
    """HKDF-Expand-Label without a context (section 7.1), for at most as many bytes as the digest has."""
    name = b"tls13 " + label.encode()
    text = length.to_bytes(2, "big") + bytes([len(name)]) + name + b"\0"
    return hmac.new(secret, text + b"\x01", getattr(hashlib, digest)).digest()[:length]

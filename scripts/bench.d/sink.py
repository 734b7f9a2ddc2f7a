"""An upload origin that reads every octet of a body before it answers with their number. Run as `sink.py PORT`.

nginx answers an upload that it throws away before the body has come, and stores one that it keeps: neither measures how
fast a proxy carries a body.
"""

from __future__ import annotations

import socket
import sys
import threading

BUFFER_SIZE = 1 << 20
HEAD_LIMIT = 1 << 16


def read_head(connection: socket.socket) -> tuple[bytes, bytes] | None:
    """The head of a request and what came of its body along with it, or nothing at the end of the connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        octets = connection.recv(HEAD_LIMIT)
        if not octets or len(received) > HEAD_LIMIT:
            return None
        received += octets
    head, _, rest = received.partition(b"\r\n\r\n")
    return head, rest


def field(head: bytes, name: bytes) -> bytes | None:
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return None


def count_sized(connection: socket.socket, size: int, already: int, buffer: memoryview) -> int:
    count = already
    while count < size:
        taken = connection.recv_into(buffer, min(size - count, BUFFER_SIZE))
        if not taken:
            break
        count += taken
    return count


def count_chunked(connection: socket.socket, rest: bytes) -> int:
    """For proxies that turn a sized body into chunks."""
    with connection.makefile("rb", BUFFER_SIZE) as stream:
        count = 0
        pending = rest
        while True:
            while b"\r\n" not in pending:
                pending += stream.read1(BUFFER_SIZE) or sys.exit("a chunked body was cut short")
            line, _, pending = pending.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            remaining = size + 2
            while remaining > len(pending):
                remaining -= len(pending)
                pending = stream.read1(BUFFER_SIZE) or sys.exit("a chunked body was cut short")
            pending = pending[remaining:]
            count += size
            if size == 0:
                return count


def serve(connection: socket.socket) -> None:
    buffer = memoryview(bytearray(BUFFER_SIZE))
    with connection:
        while message := read_head(connection):
            head, rest = message
            if field(head, b"expect"):
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            if (field(head, b"transfer-encoding") or b"").lower() == b"chunked":
                count = count_chunked(connection, rest)
            else:
                count = count_sized(connection, int(field(head, b"content-length") or 0), len(rest), buffer)
            body = b"%d\n" % count
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def main() -> None:
    with socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=64) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()

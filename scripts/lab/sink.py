"""An upload origin that reads every byte of a body before it answers with their number. Run as `python3 -m lab.sink PORT`.

nginx answers an upload that it throws away before the body has come, and stores one that it keeps: neither measures how
fast a proxy carries a body.
"""

from __future__ import annotations

import socket
import sys
import threading

import h11

from lab.wire import HEAD_LIMIT, HOST

BUFFER_SIZE = 1 << 20


def count_body(connection: socket.socket, begun: bytes, buffer: memoryview) -> tuple[int, bytes] | None:
    """The size of the next request's body, and what came behind it; nothing at the end of the connection."""
    reader = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    if begun:
        reader.receive_data(begun)
    count, is_awaited = 0, True
    while True:
        event = reader.next_event()
        if event is h11.NEED_DATA:
            if is_awaited and reader.they_are_waiting_for_100_continue:
                is_awaited = False
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            reader.receive_data(connection.recv(BUFFER_SIZE))
        elif isinstance(event, h11.Request):
            size = int(dict(event.headers).get(b"content-length", 0))
            if size > len(reader.trailing_data[0]) and not reader.they_are_waiting_for_100_continue:
                return count_sized(connection, size, len(reader.trailing_data[0]), buffer), b""
        elif isinstance(event, h11.Data):
            count += len(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return count, reader.trailing_data[0]
        else:
            return None


def count_sized(connection: socket.socket, size: int, count: int, buffer: memoryview) -> int:
    """The most of all bodies, without a copy: the sink must not be what is measured."""
    while count < size and (taken := connection.recv_into(buffer, min(size - count, BUFFER_SIZE))):
        count += taken
    return count


def serve(connection: socket.socket) -> None:
    buffer = memoryview(bytearray(BUFFER_SIZE))
    rest = b""
    with connection:
        while found := count_body(connection, rest, buffer):
            body, rest = b"%d\n" % found[0], found[1]
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def main() -> None:
    with socket.create_server((HOST, int(sys.argv[1])), backlog=64) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()

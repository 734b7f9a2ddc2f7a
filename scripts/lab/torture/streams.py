"""A non-blocking connection, in clear or over TLS, whose bytes leave in the pieces in which they were given."""

from __future__ import annotations

import socket
import ssl
from collections import deque

from lab.wire import reset_on_close

_RECEIVE = 1 << 16
_TLS_GOES_ON = (ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Stream:
    def __init__(self, connection: socket.socket):
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.descriptor = connection.fileno()
        self.is_open = True
        # The pieces that are still to be sent.
        self.pieces: deque[bytes] = deque()
        self._tls: ssl.SSLObject | None = None
        self._is_shaking = False
        # Ciphertext on its way.
        self._sealed = b""

    @property
    def wants_to_send(self) -> bool:
        return bool(self._sealed) or (bool(self.pieces) and not self._is_shaking)

    def secure(self, context: ssl.SSLContext, server_name: str | None = None) -> None:
        """Everything from now on is TLS, as the client if there is a name."""
        self._received, self._sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._received, self._sent, server_side=server_name is None, server_hostname=server_name)
        self._is_shaking = True
        self._shake()

    def send_piece(self) -> int:
        """Sends one piece, or what goes of it; returns how many bytes of pieces went."""
        if not self._tls:
            piece = self.pieces.popleft()
            sent = self.socket.send(piece)
            if sent < len(piece):
                self.pieces.appendleft(piece[sent:])
            return sent
        taken = 0
        if not self._sealed and self.pieces and not self._is_shaking:
            piece = self.pieces.popleft()
            taken = len(piece)
            self._tls.write(piece)
            self._sealed = self._sent.read()
        if self._sealed:
            self._sealed = self._sealed[self.socket.send(self._sealed) :]
        return taken

    def receive(self) -> bytes | None:
        """What has come, perhaps nothing yet; `None` at the end."""
        data = self.socket.recv(_RECEIVE)
        if not self._tls:
            return data or None
        if not data:
            return None
        self._received.write(data)
        if self._is_shaking and not self._shake():
            return b""
        parts = []
        try:
            while part := self._tls.read(_RECEIVE):
                parts.append(part)
        except _TLS_GOES_ON:
            pass
        except ssl.SSLZeroReturnError:
            return b"".join(parts) or None
        return b"".join(parts)

    def finish(self) -> None:
        """Sends no more: FIN, and before it what says in TLS that nothing is missing."""
        self.pieces.clear()
        try:
            if self._tls and not self._is_shaking:
                self._say_end()
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            # The other side was quicker.
            pass

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.socket.close()

    def reset(self) -> None:
        """RST."""
        if self.is_open:
            reset_on_close(self.socket)
            self.close()

    def _say_end(self) -> None:
        assert self._tls
        try:
            self._tls.unwrap()
        except ssl.SSLError:
            # It waits for the other side to say so, too.
            pass
        self.socket.send(self._sent.read())

    def _shake(self) -> bool:
        assert self._tls
        try:
            self._tls.do_handshake()
            self._is_shaking = False
        except _TLS_GOES_ON:
            pass
        self._sealed += self._sent.read()
        return not self._is_shaking


class Peer:
    """One end of a connection in the worker's loop."""

    def __init__(self, connection: socket.socket):
        self.stream = Stream(connection)
        self.is_done = False
        # The other side has ended the connection by RST, or by no TLS.
        self.was_reset = False

    def on_writable(self, now: float) -> None:
        try:
            self.stream.send_piece()
        except BlockingIOError:
            return
        except OSError:
            self.cannot_send()
            return
        self.has_sent(now)

    def on_readable(self, now: float) -> None:
        try:
            data = self.stream.receive()
        except BlockingIOError:
            return
        except OSError:
            self.was_reset = True
            data = None
        if data is None:
            self.has_ended_here()
        else:
            self.has_received(data, now)

    def close(self) -> None:
        self.stream.close()
        self.is_done = True

    def cannot_send(self) -> None:
        self.close()

    def has_sent(self, now: float) -> None:
        """A piece, or a part of one."""
        raise NotImplementedError

    def has_received(self, data: bytes, now: float) -> None:
        """Perhaps no data yet."""
        raise NotImplementedError

    def has_ended_here(self) -> None:
        """The other side sends no more."""
        self.close()

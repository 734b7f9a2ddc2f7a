"""A server that fails in many ways: one port for each. Says `NAME=URL` for each way on standard error, then
serves until its input ends.

Arguments: for each certificate its name, its file and its key's.
"""
import socket
import ssl
import struct
import sys
import threading

SETTINGS = b"\0\0\0\x04\0\0\0\0\0"
HEADERS = 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def head(connection):
    """Reads a request without content."""
    text = b""
    while b"\r\n\r\n" not in text:
        piece = connection.recv(65536)
        if not piece:
            return
        text += piece


def answering(*pieces):
    def script(connection):
        head(connection)
        for piece in pieces:
            connection.sendall(piece)

    return script


def silent(connection):
    pass


def greeted(*pieces):
    """Reads a hello of TLS, and answers something else."""

    def script(connection):
        record = connection.recv(5, socket.MSG_WAITALL)
        if len(record) == 5:
            connection.recv(struct.unpack(">H", record[3:])[0], socket.MSG_WAITALL)
        for piece in pieces:
            connection.sendall(piece)

    return script


def http2(last):
    """Answers the first stream of HTTP/2 by this frame. A client that speaks HTTP/1.1 gets no answer."""

    def script(connection):
        if connection.selected_alpn_protocol() != "h2":
            return head(connection)
        connection.sendall(SETTINGS)
        reader = connection.makefile("rb")
        reader.read(len(PREFACE))
        while True:
            frame = reader.read(9)
            if len(frame) < 9:
                return None
            reader.read(int.from_bytes(frame[:3], "big"))
            if frame[3] == HEADERS:
                connection.sendall(last(int.from_bytes(frame[5:], "big")))
                break
        if last is rst:
            # The connection goes on.
            reader.read()
        return None

    return script


def goaway(stream):
    return b"\0\0\x08\x07\0\0\0\0\0" + struct.pack(">LL", stream, 2)


def rst(stream):
    return b"\0\0\x04\x03\0" + struct.pack(">LL", stream, 2)


OK = b"HTTP/1.1 200 OK\r\n"
SCRIPTS = {
    "close-at-once": silent,
    "close-after-request": answering(),
    "reset-after-request": answering(),
    "close-in-head": answering(OK + b"Content-Ty"),
    "reset-in-head": answering(OK + b"Content-Ty"),
    "close-in-length": answering(OK + b"Content-Length: 100\r\n\r\nonly this"),
    "reset-in-length": answering(OK + b"Content-Length: 100\r\n\r\nonly this"),
    "close-in-chunk": answering(OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\nonly this"),
    "reset-in-chunk": answering(OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\nonly this"),
    "garbage": answering(b"\1\2\3 nonsense\r\n\r\n"),
    "bad-length": answering(OK + b"Content-Length: much\r\n\r\nhello"),
    "bad-gzip": answering(OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
}
HELLO = {
    "tls-alert": greeted(b"\x15\3\3\0\2\2\x28"),
    "not-tls": greeted(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    "close-in-handshake": greeted(),
    "reset-in-handshake": greeted(),
}
SECURE = {
    "expired": ("expired", answering(OK + b"Content-Length: 0\r\n\r\n")),
    "self-signed": ("self-signed", answering(OK + b"Content-Length: 0\r\n\r\n")),
    "wrong-host": ("wrong-host", answering(OK + b"Content-Length: 0\r\n\r\n")),
    "tls-close-after-request": ("good", answering()),
    "tls-reset-after-request": ("good", answering()),
    "h2-goaway": ("good", http2(goaway)),
    "h2-reset": ("good", http2(rst)),
}


def play(connection, script, name, context):
    try:
        if context is not None:
            connection = context.wrap_socket(connection, server_side=True)
        script(connection)
        if "reset" in name and name != "h2-reset":
            # What was sent has arrived before the reset does.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            socket.socket.shutdown(connection, socket.SHUT_WR)
            while socket.socket.recv(connection, 65536):
                pass
    except OSError:
        pass
    connection.close()


def listen():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    return listener, listener.getsockname()[1]


def serve(name, script, context=None):
    listener, port = listen()

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=play, args=(connection, script, name, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return port


def context(certificate, key, speaks_http2):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    made.set_alpn_protocols(["h2", "http/1.1"] if speaks_http2 else ["http/1.1"])
    return made


def say(name, origin):
    print(f"{name}={origin}/{name}", file=sys.stderr)


def main():
    words = sys.argv[1:]
    identities = {words[i]: (words[i + 1], words[i + 2]) for i in range(0, len(words), 3)}
    # Bound, and listening to nobody.
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    refused = taken.getsockname()[1]
    say("refused", f"http://localhost:{refused}")
    say("unknown-name", "http://nowhere.invalid")
    say("unreachable", "http://255.255.255.255")
    for name, script in SCRIPTS.items():
        say(name, f"http://localhost:{serve(name, script)}")
    say("tls-refused", f"https://localhost:{refused}")
    say("tls-unknown-name", "https://nowhere.invalid")
    for name, script in HELLO.items():
        say(name, f"https://localhost:{serve(name, script)}")
    for name, (identity, script) in SECURE.items():
        secure = context(*identities[identity], name.startswith("h2-"))
        say(name, f"https://localhost:{serve(name, script, secure)}")
    print("end", file=sys.stderr, flush=True)
    sys.stdin.read()


main()

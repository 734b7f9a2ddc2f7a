"""A service of gRPC and its client, with bytes for messages.

`python3 -m lab.http2.calls serve [CERTIFICATE KEY]` says `port N`; `… ask AUTHORITY [ROOTS]` makes every kind of call and fails
if an
answer is not as it must be; `… chat AUTHORITY ROOTS COUNT` plays ping-pong in one call and prints the nanoseconds of each turn.
Both take their proxy from the environment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures

import grpc

from lab.wire import HOST

SERVICE = "lab.Calls"
# Of one message, in both directions.
LARGE = 4 << 20
OPTIONS = [("grpc.max_receive_message_length", 2 * LARGE), ("grpc.max_send_message_length", 2 * LARGE)]
PATIENCE = 30
WRONG = "wrong: ä%"


def echo(request: bytes, context: grpc.ServicerContext) -> bytes:
    context.set_trailing_metadata((("x-size", str(len(request))),))
    return request


def collect(requests: Iterator[bytes], _: grpc.ServicerContext) -> bytes:
    messages = list(requests)
    return b"%d messages, %d bytes" % (len(messages), sum(map(len, messages)))


def spread(request: bytes, _: grpc.ServicerContext) -> Iterator[bytes]:
    return (b"part %d" % number for number in range(int(request)))


def chat(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
    yield from requests


def refuse(_: bytes, context: grpc.ServicerContext) -> bytes:
    context.abort(grpc.StatusCode.INVALID_ARGUMENT, WRONG)
    raise AssertionError("abort raises")


def hang(_: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
    """Says that it is there, and then nothing until the client has left."""
    left = threading.Event()
    context.add_callback(left.set)
    yield b"here"
    left.wait(PATIENCE)


def serve(identity: list[str]) -> None:
    handlers = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "Collect": grpc.stream_unary_rpc_method_handler(collect),
        "Spread": grpc.unary_stream_rpc_method_handler(spread),
        "Chat": grpc.stream_stream_rpc_method_handler(chat),
        "Refuse": grpc.unary_unary_rpc_method_handler(refuse),
        "Hang": grpc.unary_stream_rpc_method_handler(hang),
    }
    server = grpc.server(futures.ThreadPoolExecutor(8), options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    if identity:
        certificate, key = (open(file, "rb").read() for file in identity)  # noqa: SIM115
        port = server.add_secure_port(f"{HOST}:0", grpc.ssl_server_credentials([(key, certificate)]))
    else:
        port = server.add_insecure_port(f"{HOST}:0")
    server.start()
    print("port", port, flush=True)
    server.wait_for_termination()


def channel(authority: str, roots: str | None) -> grpc.Channel:
    if roots is None:
        return grpc.insecure_channel(authority, options=OPTIONS)
    given = None if roots == "-" else open(roots, "rb").read()  # noqa: SIM115
    return grpc.secure_channel(authority, grpc.ssl_channel_credentials(given), options=OPTIONS)


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"{what} is not as it must be")


def ask(authority: str, roots: str | None) -> None:
    with channel(authority, roots) as calls:
        unary = calls.unary_unary(f"/{SERVICE}/Echo")
        answer, call = unary.with_call(b"hello", timeout=PATIENCE)
        expect(answer == b"hello" and dict(call.trailing_metadata())["x-size"] == "5", "Echo")
        large = bytes(range(256)) * (LARGE // 256)
        expect(unary(large, timeout=PATIENCE) == large, "a large message")
        pieces = iter([b"a" * size for size in (0, 1, 70_000)])
        expect(calls.stream_unary(f"/{SERVICE}/Collect")(pieces, timeout=PATIENCE) == b"3 messages, 70001 bytes", "Collect")
        parts = list(calls.unary_stream(f"/{SERVICE}/Spread")(b"20", timeout=PATIENCE))
        expect(parts == [b"part %d" % number for number in range(20)], "Spread")
        expect(len(turns(calls, 20)) == 20, "Chat")
        try:
            calls.unary_unary(f"/{SERVICE}/Refuse")(b"", timeout=PATIENCE)
            expect(False, "Refuse")
        except grpc.RpcError as error:
            expect(error.code() is grpc.StatusCode.INVALID_ARGUMENT and error.details() == WRONG, "Refuse")
        hanging = calls.unary_stream(f"/{SERVICE}/Hang")
        late = hanging(b"deadline", timeout=1)
        expect(next(late) == b"here", "Hang")
        try:
            next(late)
            expect(False, "a deadline")
        except grpc.RpcError as error:
            expect(error.code() is grpc.StatusCode.DEADLINE_EXCEEDED, "a deadline")
        left = hanging(b"cancelled", timeout=PATIENCE)
        expect(next(left) == b"here", "Hang")
        left.cancel()
        expect(left.code() is grpc.StatusCode.CANCELLED, "a call that was cancelled")
    print("all calls are as they must be")


def turns(calls: grpc.Channel, count: int) -> list[int]:
    """Ping-pong: each message leaves when the answer to the one before has come. Nanoseconds of each turn."""
    answered = threading.Semaphore(1)
    sent: list[int] = []

    def requests() -> Iterator[bytes]:
        for number in range(count):
            answered.acquire()
            sent.append(time.monotonic_ns())
            yield b"ping %d" % number

    taken: list[int] = []
    for number, answer in enumerate(calls.stream_stream(f"/{SERVICE}/Chat")(requests(), timeout=PATIENCE + count / 100)):
        taken.append(time.monotonic_ns() - sent[number])
        expect(answer == b"ping %d" % number, "Chat")
        answered.release()
    return taken


def main() -> None:
    what, *words = sys.argv[1:]
    if what == "serve":
        serve(words)
    elif what == "ask":
        ask(words[0], words[1] if len(words) > 1 else None)
    else:
        with channel(words[0], words[1]) as calls:
            print(*turns(calls, int(words[2])), sep="\n")


if __name__ == "__main__":
    main()

"""The soak's origin: answers by the first word of the path, and begins each body with the number that the request carried, so
that a body that reaches somebody else is noticed. Run as `python3 -m lab.soak.origin CERTIFICATES`, a directory of
`Certificates`; prints its two ports, the second with TLS."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from lab.certificates import Certificates
from lab.origin import Exchange, Origin, serving
from lab.wire import reset_on_close

FILLER = "The quick brown fox jumps over the lazy dog. " * 1500
SMALL, MEDIUM = 1 << 10, 64 << 10
DELAY_SECONDS = 0.05
# More than is sent before it is cut off, and more than a client reads that hangs up.
ANNOUNCED = 1 << 20


def body(number: str, size: int) -> bytes:
    return f"{number} {FILLER}"[:size].ljust(size).encode()


def answer(exchange: Exchange) -> bool:
    kind, number = exchange.url.path.strip("/"), exchange.query["n"]
    match kind:
        case "medium":
            return exchange.respond(body(number, MEDIUM))
        case "document":
            text = f'{{"number": "{number}", "text": "{FILLER[:500]}"}}'
            return exchange.respond(text.encode(), fields=["Content-Type: application/json"])
        case "post" | "upload":
            return exchange.respond(f"{number} {len(exchange.body)}".encode())
        case "chunked":
            whole = body(number, MEDIUM // 8)
            pieces = [whole[start : start + 1000] for start in range(0, len(whole), 1000)]
            return exchange.respond_chunked(pieces, ["Content-Type: text/plain", "Trailer: Number"], f"Number: {number}\r\n")
        case "delayed":
            time.sleep(DELAY_SECONDS)
        case "missing":
            return exchange.respond(body(number, SMALL), "404 Not Found")
        case "truncated" | "abandoned":
            exchange.send(f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {ANNOUNCED}\r\n\r\n")
            exchange.send(body(number, MEDIUM))
            if kind == "abandoned":
                exchange.connection.recv(1)
            return False
        case "reset":
            reset_on_close(exchange.connection)
            return False
    return exchange.respond(body(number, SMALL))


def main() -> None:
    context = Certificates(Path(sys.argv[1])).server_context()
    print(Origin(serving(answer)).port, Origin(serving(answer), context).port, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

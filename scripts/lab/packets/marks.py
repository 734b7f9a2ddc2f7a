"""The marks of `_events` as the packets have them: for each mark the packet that it should be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from lab.packets.capture import Address
from lab.packets.flows import Bytes, Flow, Torn
from lab.packets.messages import Exchanged, exchanges, head_end
from lab.packets.tls import BEGINNING, Keys, Secured, decrypt

# Those that are a packet, in the order of an exchange; docs/timeline.md says which packet each of them should be.
NAMES = (
    "accepted", "tunnelHeadEnd", "clientTLSStart", "clientTLSEnd", "requestFirstByte", "requestHeadEnd", "requestLastByte",
    "connectStart", "connectEnd", "tlsStart", "tlsEnd", "sentFirst", "sentLast", "responseFirstByte", "responseHeadEnd",
    "responseLastByte", "deliveredFirst", "deliveredLast",
)  # fmt: skip

# Nanoseconds by mark.
Marks = dict[str, int]


def marks_of(flows: Iterable[Flow], proxy: Address, keys: Keys) -> dict[int, Marks]:
    """The marks of each exchange, by its number, from both of its connections."""
    found: dict[int, Marks] = defaultdict(dict)
    for flow in flows:
        read = _client_leg if flow.server == proxy else _origin_leg
        for number, marks in read(flow, keys):
            found[number] |= marks
    return found


def _known(**marks: int | None) -> Marks:
    return {name: stamp for name, stamp in marks.items() if stamp is not None}


def _client_leg(flow: Flow, keys: Keys) -> list[tuple[int, Marks]]:
    sent, received = flow.sent.bytes, flow.received.bytes
    opening = _known(accepted=flow.sent.answered)
    if sent.data.startswith(b"CONNECT "):
        end = head_end(sent, 0)
        opening |= _known(requestFirstByte=sent.came(0), tunnelHeadEnd=sent.came(end - 1))
        sent, received = sent.after(end), received.after(head_end(received, 0))

    def handshake(client: Secured, _: Secured) -> Marks:
        return _known(clientTLSStart=client.hello, clientTLSEnd=client.finished)

    def ordinary(each: Exchanged) -> Marks:
        request, response = each.request, each.response
        return {
            "requestFirstByte": request.first, "requestHeadEnd": request.head, "requestLastByte": request.last,
            "deliveredFirst": response.began, "deliveredLast": response.last,
        }  # fmt: skip

    return _leg(sent, received, keys, opening, handshake, ordinary)


def _origin_leg(flow: Flow, keys: Keys) -> list[tuple[int, Marks]]:
    def handshake(client: Secured, server: Secured) -> Marks:
        return _known(tlsStart=client.hello, tlsEnd=server.finished)

    def ordinary(each: Exchanged) -> Marks:
        request, response = each.request, each.response
        return {
            "sentFirst": request.began, "sentLast": request.last, "responseFirstByte": response.first,
            "responseHeadEnd": response.head, "responseLastByte": response.last,
        }  # fmt: skip

    opening = _known(connectStart=flow.sent.opened, connectEnd=flow.received.opened)
    return _leg(flow.sent.bytes, flow.received.bytes, keys, opening, handshake, ordinary)


def _leg(
    sent: Bytes,
    received: Bytes,
    keys: Keys,
    opening: Marks,
    handshake: Callable[[Secured, Secured], Marks],
    ordinary: Callable[[Exchanged], Marks],
) -> list[tuple[int, Marks]]:
    """The first exchange has the marks of the connection as well: `opening`, and what `handshake` makes of TLS."""
    if sent.data[:1] == BEGINNING:
        client, server = decrypt(sent, received, keys)
        opening = opening | handshake(client, server)
        sent, received = client.bytes, server.bytes
    found = [(each.number, ordinary(each)) for each in exchanges(sent, received)]
    if not found:
        raise Torn("a connection carried no exchange")
    number, marks = found[0]
    return [(number, marks | opening), *found[1:]]

"""Judges what a client got."""

from __future__ import annotations

from collections.abc import Iterator

from lab.torture.answers import Answer
from lab.torture.case import Case, Ending, Exchange, Kind
from lab.torture.client import Client
from lab.torture.grammar import IDEMPOTENT
from lab.torture.reference import SOCKS, Request, Rest
from lab.torture.tokens import tokens_in


def complaints(client: Client, seed: int) -> Iterator[str]:
    case = client.case
    if strangers := {token for token in tokens_in(client.received, seed) if token.case != case.number}:
        yield f"bytes of other connections came: {sorted(strangers)[:5]}"
    if client.violation:
        # A mutation may turn a request into a greeting of SOCKS, which is answered as one.
        if not case.data.startswith(SOCKS):
            yield f"what came is no HTTP: {client.violation}"
        return
    answers, requests = client.answers.all, case.reading.requests
    for answer, request in zip(answers, requests):
        yield from _tokens_of_another(answer, request, seed)
    yield from _number_of_answers(client, answers)
    if case.kind in (Kind.VALID, Kind.REPLY):
        yield from _exchanges(case, answers)
    elif case.kind in (Kind.TUNNEL, Kind.UPGRADE) and not case.is_cut:
        content = case.data.partition(b"\r\n\r\n")[2]
        if not answers or answers[0].status not in (101, 200):
            yield f"{case.kind.value}: was not opened"
        elif client.answers.opaque != content:
            yield f"{case.kind.value}: {len(content)} bytes went in and {len(client.answers.opaque)} others came out"


def _tokens_of_another(answer: Answer, request: Request, seed: int) -> Iterator[str]:
    """Answers come in the order of the requests, and each belongs to its request."""
    asked = b" ".join([request.method, request.target, *(value for _, value in request.fields), request.body])
    if mixed := set(tokens_in(answer.head + answer.body, seed)) - set(tokens_in(asked, seed)):
        yield f"the answer to {request.method!r} {request.target[:100]!r} holds {sorted(mixed)[:5]}"


def _number_of_answers(client: Client, answers: list[Answer]) -> Iterator[str]:
    """Every whole request is answered, unless the connection had to end before it."""
    case = client.case
    wanted, rest = len(case.reading.requests), case.reading.rest
    extra = 1 if rest in (Rest.INVALID, Rest.INCOMPLETE, Rest.OPAQUE) else 0
    if len(answers) > wanted + extra:
        yield f"{wanted} requests, {len(answers)} answers"
    if case.is_cut or not client.has_ended:
        return
    if answers and (not answers[-1].complete or answers[-1].closes or answers[-1].status == 101):
        return
    if len(answers) < wanted and client.was_reset and not _is_sound(case, len(answers)):
        # A response that could be framed by nothing but the connection's end, and whose end is missing.
        return
    if len(answers) < wanted and any(_may_end_connection(case, index) for index in range(len(answers))):
        # The origin's connection ended behind a response that did not say so, and the client's with it.
        return
    if len(answers) < wanted:
        yield f"the connection ended after {len(answers)} answers to {wanted} requests, and none said so"
    elif len(answers) == wanted and rest is Rest.INVALID and case.kind is not Kind.GARBAGE:
        yield "what is no request was not answered"


def _is_sound(case: Case, index: int) -> bool:
    return index < len(case.exchanges) and case.exchanges[index].is_sound


def _may_end_connection(case: Case, index: int) -> bool:
    if not _is_sound(case, index) or case.exchanges[index].ending is not Ending.ORDERLY:
        return True
    # An answer that comes before its request has gone out ends the connection to the origin. The client is told, unless
    # all of its request has been read when the head of the answer comes.
    reply = case.exchanges[index].reply
    return reply is not None and reply.early


def _exchanges(case: Case, answers: list[Answer]) -> Iterator[str]:
    for number, (exchange, answer) in enumerate(zip(case.exchanges, answers)):
        if trouble := _exchange(case, exchange, answer):
            yield f"exchange {number}: {trouble}"
            return


def _without_100(statuses: list[int]) -> list[int]:
    return [status for status in statuses if status != 100]


def _exchange(case: Case, exchange: Exchange, answer: Answer) -> str | None:
    """What is wrong with the answer to a request that nothing was wrong with."""
    reply, request = exchange.reply, exchange.request
    if not reply:
        return None if answer.status == request.local_status else f"{answer.status} instead of {request.local_status}"
    if exchange.is_cut:
        looks_whole = answer.complete and answer.status == reply.status and reply.framing in ("length", "chunked")
        return "a response without its end was made to look whole" if looks_whole else None
    if not exchange.is_sound:
        return None
    if case.is_cut and (not answer.complete or not request.minor):
        # A client that has gone does not tell one that is cut off from one that ends.
        return None
    if answer.status == 502 and (request.has_body or request.method not in IDEMPOTENT):
        # The origin ended the connection at the same moment, and such a request is not sent twice.
        return None
    if answer.status != reply.status:
        return f"{answer.status} instead of {reply.status}: {answer.head + answer.body[:300]!r}"
    if answer.values(b"x-mark") != [exchange.mark]:
        return f"the mark is {answer.values(b'x-mark')}"
    if not answer.complete:
        return f"{len(answer.body)} bytes came of a body of {len(reply.content)}"
    if answer.body != reply.content:
        return f"the body is another: {len(answer.body)} bytes instead of {len(reply.content)}"
    if request.minor and _without_100(answer.interim) != _without_100(reply.interim):
        return f"interim responses {answer.interim} instead of {reply.interim}"
    return None

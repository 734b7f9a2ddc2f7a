"""All cases, in the order of the table."""

from catalogue import connections, fields, framing, methods, response_framing, response_heads, responses, targets

CASES = [
    *framing.CASES,
    *targets.CASES,
    *fields.CASES,
    *methods.CASES,
    *connections.CASES,
    *response_framing.CASES,
    *response_heads.CASES,
    *responses.CASES,
]

"""`scripts/lab otlp-decode FILE…`: the spans in requests to a collector, as `opentelemetry-proto` reads them, in JSON.

A file holds the body of one request, perhaps in gzip. Instants are texts, because they are larger than JSON's exact numbers.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

GZIP = b"\x1f\x8b"


def request(body: bytes) -> ExportTraceServiceRequest:
    message = ExportTraceServiceRequest()
    message.ParseFromString(gzip.decompress(body) if body[:2] == GZIP else body)
    return message


def spans(message: ExportTraceServiceRequest) -> list[dict[str, object]]:
    """Each with its resource and its scope."""
    return [
        described(span)
        | {
            "resource": attributes(resource.resource.attributes),
            "scope": f"{scope.scope.name} {scope.scope.version}",
            "unknown": unknown_fields(resource.resource, scope.scope, span),
        }
        for resource in message.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def described(span: Span) -> dict[str, object]:
    return {
        "trace": span.trace_id.hex(),
        "id": span.span_id.hex(),
        "parent": span.parent_span_id.hex(),
        "state": span.trace_state,
        "flags": span.flags,
        "name": span.name,
        "kind": Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        "start": str(span.start_time_unix_nano),
        "end": str(span.end_time_unix_nano),
        "attributes": attributes(span.attributes),
        "links": [{"trace": link.trace_id.hex(), "id": link.span_id.hex()} for link in span.links],
        "status": span.status.code,
        "message": span.status.message,
    }


def attributes(pairs: list[KeyValue]) -> dict[str, object]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def unknown_fields(*messages: Message) -> int:
    """What the schema does not have: nothing, if the sender has it right."""
    return sum(len(UnknownFieldSet(message)) for message in messages)


def main(arguments: list[str]) -> int:
    found = [span for file in arguments for span in spans(request(Path(file).read_bytes()))]
    json.dump(found, sys.stdout)
    return 0

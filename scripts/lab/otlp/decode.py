"""`scripts/lab/run otlp-decode [--metrics] FILE…`: the spans, or the points of metrics, in requests to a collector, as
`opentelemetry-proto` reads them, in JSON.

A file holds the body of one request, perhaps in gzip. Instants are texts, because they are larger than JSON's exact numbers.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import ExponentialHistogramDataPoint
from opentelemetry.proto.trace.v1.trace_pb2 import Span

GZIP = b"\x1f\x8b"


def plain(body: bytes) -> bytes:
    return gzip.decompress(body) if body[:2] == GZIP else body


def request(body: bytes) -> ExportTraceServiceRequest:
    message = ExportTraceServiceRequest()
    message.ParseFromString(plain(body))
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


def points(body: bytes) -> list[dict[str, object]]:
    """Each data point with its metric and its resource."""
    message = ExportMetricsServiceRequest()
    message.ParseFromString(plain(body))
    return [
        described_point(point)
        | {
            "name": metric.name,
            "unit": metric.unit,
            "temporality": metric.exponential_histogram.aggregation_temporality,
            "resource": attributes(resource.resource.attributes),
            "unknown": unknown_fields(resource.resource, scope.scope, metric, point),
        }
        for resource in message.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.exponential_histogram.data_points
    ]


def described_point(point: ExponentialHistogramDataPoint) -> dict[str, object]:
    """`within` is whether each bound of the buckets is what the scale says of the least and the largest value."""
    base = 2 ** (2**-point.scale)
    counts = list(point.positive.bucket_counts)
    filled = [point.positive.offset + place for place, count in enumerate(counts) if count]
    within = True
    if filled:
        low, high = base ** filled[0] * 0.999999, base ** (filled[-1] + 1) * 1.000001
        within = (point.zero_count > 0 or low <= point.min) and point.max <= high
    return {
        "attributes": attributes(point.attributes),
        "start": str(point.start_time_unix_nano),
        "time": str(point.time_unix_nano),
        "count": point.count,
        "sum": point.sum,
        "min": point.min,
        "max": point.max,
        "buckets": sum(counts) + point.zero_count,
        "within": within,
    }


def attributes(pairs: list[KeyValue]) -> dict[str, object]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def unknown_fields(*messages: Message) -> int:
    """What the schema does not have: nothing, if the sender has it right."""
    return sum(len(UnknownFieldSet(message)) for message in messages)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--metrics"]:
        found = [point for file in arguments[1:] for point in points(Path(file).read_bytes())]
    else:
        found = [span for file in arguments for span in spans(request(Path(file).read_bytes()))]
    json.dump(found, sys.stdout)
    return 0

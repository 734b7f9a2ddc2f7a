"""Ten recorders at once, each with its own curl, export through rotel into one DuckDB. SQL asks whether everything is there."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import duckdb
import rotel

from lab.nginx import Nginx
from lab.otlp.collector import Collector
from lab.process import Server, free_port
from lab.proxy import Tapeline
from lab.tool import Verdict, binary, progress
from lab.wire import HOST

# Half of the recorders' clients belong to a trace of their own.
TRACE = "4bf92f3577b34da6a3ce929d0e0e47"
PARENT = "00f067aa0ba902b7"
# The spans that are still on their way when the recorders have ended.
PATIENCE = 60

SPANS = """
CREATE TABLE spans AS SELECT * FROM read_ndjson(?, columns = {service: 'VARCHAR', trace: 'VARCHAR', id: 'VARCHAR',
  parent: 'VARCHAR', kind: 'INTEGER', "from": 'BIGINT', "to": 'BIGINT', exchange: 'BIGINT'})
"""
ENTRIES = """
CREATE TABLE entries AS SELECT regexp_extract(filename, '([^/]*).ndjson$', 1) AS service, _exchangeId AS exchange, time
FROM read_ndjson(?, filename = true, columns = {_exchangeId: 'BIGINT', time: 'DOUBLE'}, maximum_object_size = 33554432)
"""
EXCHANGES = "SELECT count(*) FROM spans WHERE kind = 3"
IDENTIFIERS = "SELECT count(DISTINCT id) - count(*) FROM spans"
OUTSIDE = """
SELECT count(*) FROM spans c JOIN spans p ON c.parent = p.id AND c.service = p.service
WHERE c."from" < p."from" OR c."to" > p."to"
"""
LOST_CHILDREN = """
SELECT count(*) FROM spans c LEFT JOIN spans p ON c.parent = p.id
WHERE c.parent <> '' AND c.kind <> 3 AND (p.id IS NULL OR p.trace <> c.trace)
"""
SUMS = """
SELECT count(*) FROM entries e LEFT JOIN (
  SELECT x.service, x.exchange, sum(c."to" - c."from") AS length FROM spans x JOIN spans c ON c.parent = x.id
  WHERE x.kind = 3 GROUP BY x.service, x.exchange
) s ON s.service = e.service AND s.exchange = e.exchange WHERE s.length IS NULL OR abs(s.length - e.time * 1e6) > 1000
"""
JOINED = "SELECT count(*) FROM spans WHERE kind = 3 AND parent = ? AND trace = ? || right(service, 2)"


def agent(collector: Collector, directory: Path) -> tuple[Server, str]:
    """rotel, and its URL."""
    port = free_port()
    program = os.path.join(os.path.dirname(rotel.__file__), "rotel-agent")
    options = ["--otlp-http-endpoint", f"{HOST}:{port}", "--otlp-grpc-endpoint", f"{HOST}:{free_port()}", "--exporter", "otlp"]
    options += ["--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", collector.url, "--batch-timeout", "200ms"]
    return Server("rotel", [program, "start", *options], directory / "rotel.log"), f"http://{HOST}:{port}"


def record(directory: Path, url: str, small_url: str, recorders: int, exchanges: int) -> None:
    """All recorders at once; returns when all have ended."""
    proxies: list[Tapeline] = []
    clients: list[subprocess.Popen[bytes]] = []
    for number in range(recorders):
        name = f"recorder-{number:02}"
        os.environ["OTEL_SERVICE_NAME"] = name
        proxy = Tapeline(directory / name, ["--otlp", url])
        proxy.start()
        proxies.append(proxy)
        fields = ["-H", f"traceparent: 00-{TRACE}{number:02}-{PARENT}-01"] if number % 2 else []
        # Slower than it can, so that two cores have time for ten recorders, their exporters and the store.
        rate = ["--rate", "300/s"]
        command = ["curl", "-sS", "-x", f"http://{proxy.authority}", *fields, *rate, "-o", "/dev/null"]
        clients.append(subprocess.Popen([*command, f"{small_url}?[1-{exchanges}]"], stderr=subprocess.DEVNULL))
    for client in clients:
        if client.wait():
            raise SystemExit(f"curl ended with {client.returncode}")
    for proxy in proxies:
        proxy.stop()
        progress(proxy.log.read_text().splitlines()[-1])


def written(collector: Collector, path: Path) -> None:
    """What the store got, a line for each span.

    Where rotel's wheel cuts a batch in two, a part comes without its resource's attributes (rotel-dev/rotel#187 mends that). Its
    traces say whose it is, for each recorder has its own.
    """
    rows: list[dict[str, object]] = []
    services: dict[str, str] = {}
    for resource in collector.resources():
        names = [each.value.string_value for each in resource.resource.attributes if each.key == "service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                trace = span.trace_id.hex()
                if names:
                    services[trace] = names[0]
                numbers = [each.value.int_value for each in span.attributes if each.key == "tapeline.exchange.id"]
                row = {
                    "service": names[0] if names else None,
                    "trace": trace,
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "kind": span.kind,
                    "from": span.start_time_unix_nano,
                    "to": span.end_time_unix_nano,
                    "exchange": numbers[0] if numbers else None,
                }
                rows.append(row)
    nameless = 0
    with path.open("w") as file:
        for row in rows:
            if row["service"] is None:
                nameless += 1
                row["service"] = services.get(str(row["trace"]), "")
            file.write(json.dumps(row) + "\n")
    if nameless:
        print(f"store: {nameless:,} spans came without their resource's attributes")


def store(directory: Path, recorders: int, exchanges: int) -> list[Verdict]:
    origin = Nginx(directory / "nginx", large_size=1)
    origin.start()
    with Collector() as collector:
        server, url = agent(collector, directory)
        try:
            record(directory, url, origin.small_url, recorders, exchanges)
            count, deadline = -1, time.monotonic() + PATIENCE
            while count != len(collector.bodies) and time.monotonic() < deadline:
                count = len(collector.bodies)
                time.sleep(2)
        finally:
            server.stop()
            origin.stop()
        written(collector, directory / "spans.ndjson")
    for number in range(recorders):
        name = f"recorder-{number:02}"
        har = directory / name / "recording.har"
        subprocess.run([binary(), "convert", str(har), "--to", "ndjson", "-o", str(directory / f"{name}.ndjson")], check=True)
    database = duckdb.connect(str(directory / "store.duckdb"))
    database.execute(SPANS, [str(directory / "spans.ndjson")])
    database.execute(ENTRIES, [str(directory / "recorder-*.ndjson")])

    def asked(query: str, *values: object) -> int:
        row = database.execute(query, list(values)).fetchone()
        assert row, "a count is one row"
        return int(row[0])

    wanted = recorders * exchanges
    found, joined = asked(EXCHANGES), asked(JOINED, PARENT, TRACE)
    spans, entries = asked("SELECT count(*) FROM spans"), asked("SELECT count(*) FROM entries")
    print(f"store: {spans:,} spans of {found:,} exchanges, {entries:,} entries")
    return [
        (f"exactly {wanted:,} exchange spans of as many entries", found == wanted == entries),
        ("no identifier twice", asked(IDENTIFIERS) == 0),
        ("every child in its parent's trace", asked(LOST_CHILDREN) == 0),
        ("every child inside its parent's time", asked(OUTSIDE) == 0),
        ("phases add up to the HARs' time, to 1 µs", asked(SUMS) == 0),
        ("requests with traceparent hang below the application's span", joined == recorders // 2 * exchanges),
    ]

"""`scripts/lab/run fleet-figures FILE KEY…`: what DuckDB says of the rows that `tapeline convert --to rows` has written: for each
group of the keys how many exchanges it has, and the 95th percentile of `wait`, in JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import duckdb

# A key is a column of the schema.
QUERY = """
SELECT {keys}, count(*) AS exchanges, quantile_disc(wait, 0.95) AS p95
FROM read_ndjson(?, columns = {{file: 'VARCHAR', directory: 'VARCHAR', host: 'VARCHAR', method: 'VARCHAR', page: 'VARCHAR',
  status: 'INTEGER', wait: 'DOUBLE'}})
WHERE method <> 'CONNECT'
GROUP BY ALL
"""

Figures = dict[tuple[str, ...], tuple[int, float]]


def figures(path: str, keys: Sequence[str]) -> Figures:
    """By the values of the keys: how many exchanges, and milliseconds."""
    rows = duckdb.connect().execute(QUERY.format(keys=", ".join(keys)), [path]).fetchall()
    return {tuple(str(value) for value in row[: len(keys)]): (row[-2], row[-1]) for row in rows}


def main(arguments: list[str]) -> int:
    found = figures(arguments[0], arguments[1:])
    json.dump([{"key": list(key), "exchanges": count, "p95": p95} for key, (count, p95) in sorted(found.items())], sys.stdout)
    return 0

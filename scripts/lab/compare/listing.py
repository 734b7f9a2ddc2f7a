"""The table in Markdown, and everything that was seen as JSON."""

from __future__ import annotations

from lab.compare.case import Case
from lab.compare.judgement import Finding, Outcome
from lab.compare.observation import Observation

# Of bytes that were seen, as much as shows what happened.
SHOWN = 600


def table(cases: list[Case], outcomes: dict[str, dict[str, Outcome]], proxies: list[str]) -> str:
    lines = [f"| Case | Rule | {' | '.join(proxies)} |", f"|---|---|{'---|' * len(proxies)}"]
    for case in cases:
        by_proxy = outcomes[case.key]
        cells = [by_proxy[name].text() if name in by_proxy else "–" for name in proxies]
        lines.append(f"| {_escaped(case.name)} | {case.rule.removeprefix('RFC ')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def tables(cases: list[Case], outcomes: dict[str, dict[str, Outcome]], versions: dict[str, str | None]) -> str:
    """All that is printed: who took part, the sums, and a table for each side."""
    proxies = list(versions)
    parts = [", ".join(f"{name} {version}" for name, version in versions.items()) + ":", summary(cases, outcomes, proxies)]
    for about, title in ((False, "Requests"), (True, "Responses")):
        chosen = [case for case in cases if case.about_response is about]
        if chosen:
            parts += [f"## {title}", table(chosen, outcomes, proxies)]
    return "\n\n".join(parts)


def summary(cases: list[Case], outcomes: dict[str, dict[str, Outcome]], proxies: list[str]) -> str:
    """How many hazards each lets pass, and how much of what has to work does not."""
    lines = ["| Proxy | hazards passed on | valid messages not served |", "|---|---|---|"]
    hazards = [case for case in cases if case.hazard]
    services = [case for case in cases if case.service]
    for name in proxies:
        passed = sum(not outcomes[case.key][name].is_safe for case in hazards)
        failed = sum(not outcomes[case.key][name].is_safe for case in services)
        lines.append(f"| {name} | {passed} of {len(hazards)} | {failed} of {len(services)} |")
    return "\n".join(lines)


BEGIN, END = "<!-- scripts/lab/run compare --document writes from here -->\n\n", "<!-- to here -->"


def into_document(document: str, text: str) -> str:
    """The document with `text` in the place that is marked for it."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    assert after, "the document has the marks"
    return f"{before}{BEGIN}{text}\n\n{END}{after}"


def remarks(found: list[Finding]) -> list[str]:
    return [
        f"{'explained' if each.is_explained else 'UNEXPLAINED'}  {each.case.key} ({', '.join(each.others)})"
        + (f": {each.case.difference}" if each.is_explained else "")
        for each in found
    ]


def as_json(
    cases: list[Case],
    outcomes: dict[str, dict[str, Outcome]],
    observations: dict[str, dict[str, Observation]],
    versions: dict[str, str | None],
) -> dict[str, object]:
    return {
        "versions": versions,
        "cases": [
            {
                "name": case.name,
                "about": "response" if case.about_response else "request",
                "rule": case.rule,
                "kind": "hazard" if case.hazard else "service",
                "difference": case.difference,
                "outcomes": {
                    name: {
                        "deed": outcome.deed.name.lower(),
                        "detail": outcome.detail,
                        **_seen(observations[case.key].get(name)),
                    }
                    for name, outcome in outcomes[case.key].items()
                },
            }
            for case in cases
        ],
    }


def _seen(observation: Observation | None) -> dict[str, object]:
    if not observation:
        return {}
    return {
        "at_origin": [_text(data) for data in observation.arrived],
        "at_client": _text(observation.client.data),
        "closed": observation.client.closed,
        "reset": observation.client.reset,
        "silent": observation.client.silent,
    }


def _text(data: bytes) -> str:
    return data[:SHOWN].decode("latin-1") + (f"… ({len(data)} bytes)" if len(data) > SHOWN else "")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")

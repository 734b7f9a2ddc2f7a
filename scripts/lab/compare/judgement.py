"""What a proxy did with a case, in a word, and whether tapeline may do what it did."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from lab.compare.case import Case
from lab.compare.messages import Message
from lab.compare.observation import Observation


class Deed(enum.Enum):
    """What became of what must not pass, or of what has to work."""

    REFUSED = "refused"
    NORMALISED = "normalised"
    UNCHANGED = "passed on"
    SERVED = "served"
    NOT_SERVED = "not served"
    DIED = "died"


@dataclass(frozen=True)
class Outcome:
    deed: Deed
    # For the table: a status, or what happened instead of one.
    detail: str

    @property
    def is_safe(self) -> bool:
        """The reader of what comes out of the proxy is spared the hazard, or served."""
        return self.deed in (Deed.REFUSED, Deed.NORMALISED, Deed.SERVED)

    def text(self) -> str:
        return f"{self.deed.value}: {self.detail}" if self.detail else self.deed.value


DIED = Outcome(Deed.DIED, "")


def judge(case: Case, seen: Observation) -> Outcome:
    if case.service:
        return Outcome(Deed.SERVED, "") if case.service(seen) else Outcome(Deed.NOT_SERVED, _ending(seen))
    assert case.hazard
    # The text of an error may quote what was wrong.
    if case.about_response and any(_is_proxys_own(each) for each in seen.final()[:1]):
        return Outcome(Deed.REFUSED, _ending(seen))
    if case.hazard(seen):
        return Outcome(Deed.UNCHANGED, "")
    return _response_outcome(seen) if case.about_response else _request_outcome(seen)


def _request_outcome(seen: Observation) -> Outcome:
    if not seen.complete_requests():
        return Outcome(Deed.REFUSED, "left incomplete" if seen.arrived else _ending(seen))
    # Of several requests at once, the last is the one that matters.
    last = seen.final()[-1:]
    if last and last[0].status >= 400 and len(seen.final()) > 1:
        return Outcome(Deed.REFUSED, str(last[0].status))
    return Outcome(Deed.NORMALISED, "")


def _response_outcome(seen: Observation) -> Outcome:
    got = seen.final()
    if not got or not all(each.complete for each in got) or seen.client.silent:
        return Outcome(Deed.REFUSED, "cut off" if got else _ending(seen))
    return Outcome(Deed.NORMALISED, "")


def _is_proxys_own(response: Message) -> bool:
    """No case's origin answers with any of these."""
    return response.status // 100 == 5


def _ending(seen: Observation) -> str:
    got = seen.final()
    if got:
        return str(got[-1].status) if got[-1].status else "no status"
    return "stalls" if seen.client.silent else "closes"


@dataclass(frozen=True)
class Finding:
    """A case where another proxy is safer than tapeline, or serves what tapeline does not."""

    case: Case
    others: list[str]

    @property
    def is_explained(self) -> bool:
        return self.case.difference is not None


def findings(cases: list[Case], outcomes: dict[str, dict[str, Outcome]], subject: str = "tapeline") -> list[Finding]:
    """`outcomes`: by case, then by proxy."""
    found = []
    for case in cases:
        by_proxy = outcomes[case.key]
        if subject not in by_proxy or by_proxy[subject].is_safe:
            continue
        better = [name for name, outcome in by_proxy.items() if outcome.is_safe]
        if better or by_proxy[subject].deed is Deed.DIED:
            found.append(Finding(case, better))
    return found

"""The figures as tables of Markdown, as JSON, and as verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from lab import machine
from lab.packets.judgement import BINS, Errors, Judgement
from lab.tool import Verdict

_HEAD = """# Our marks beside the packets

`scripts/lab/run packets --load --publish` writes this page. [timeline.md](../timeline.md#how-exact-the-marks-are) says how it
measures, and which packet each mark should be. An error is our mark minus the stamp of that packet, in microseconds. p50 has its
sign, p99 is of the distances. Marks of which the entry itself says that the kernel did not take them (`_clock`), and phases
between them, are in the column *doubtful* alone. The other columns have the share of the other errors whose distance is at most
that, and more than the column before says.

"""

# Nothing comes before its packet but for the difference of two clocks, and for the time that the capture was late: it stamps
# packets itself, when the kernel gets to it. Microseconds.
EARLY_BOUND = 100.0
# If more of the processors' time was stolen, marks that are wrong say nothing: a machine that is away between two stamps makes
# any of them late, on either side.
STOLEN_BOUND = 0.01
# Marks of what tapeline itself does, whenever it gets to it: no clock of the kernel's tells when it could. They are not held to a
# bound.
OURS = frozenset({"accepted"})
# Marks of packets that we send: before the call that sends them, if it returned late.
TAKEN_BEFORE = {"connectStart", "tlsStart", "sentFirst", "sentLast", "deliveredFirst", "deliveredLast"}


@dataclass
class Run:
    """What was measured under one load; bounds are in microseconds."""

    load: str
    about: str
    bound: float
    phase_bound: float
    judged: dict[str, Judgement]
    early_bound: float = EARLY_BOUND
    # The share of the processors' time that other machines had meanwhile.
    stolen: float = 0.0

    @property
    def is_disturbed(self) -> bool:
        return self.stolen > STOLEN_BOUND

    def verdicts(self) -> list[Verdict]:
        found = []
        for protocol, judgement in self.judged.items():
            for kind, errors, bound in (("mark", judgement.marks, self.bound), ("phase", judgement.phases, self.phase_bound)):
                judged = [name for name in errors if errors[name].values and name not in OURS]
                worst = max(judged, key=lambda name, errors=errors: errors[name].p99)
                text = f"{protocol}, {self.load}: p99 of every {kind} at most {bound:.0f} µs; worst is {worst}"
                found.append((f"{text}, {errors[worst].p99:.0f} µs", errors[worst].p99 <= bound))
            after = {name: errors.earliest for name, errors in judgement.marks.items() if name not in TAKEN_BEFORE}
            early = min(after, key=after.__getitem__)
            text = f"{protocol}, {self.load}: nothing came {self.early_bound:.0f} µs before its packet; earliest is {early}"
            found.append((f"{text}, {after[early]:+.0f} µs", after[early] >= -self.early_bound))
        return found

    def as_json(self) -> dict[str, object]:
        return {
            "load": self.load,
            "about": self.about,
            "stolen": round(self.stolen, 4),
            "bound_us": self.bound,
            "phase_bound_us": self.phase_bound,
            "protocols": {name: judgement.as_json() for name, judgement in self.judged.items()},
        }


def tables(runs: list[Run], about: dict[str, object]) -> str:
    parts = [f"{machine.one_line(about)}, {about['commit']}; load average {about['load_average']:.1f} before it began."]
    for run in runs:
        parts.append(f"## {run.load.capitalize()}\n\n{run.about} Other machines had {run.stolen:.1%} of the processors' time.")
        for protocol, judgement in run.judged.items():
            parts.append(f"### {protocol}, {run.load}\n\n{judgement.entries:,} entries.\n\n{_table(judgement)}")
    return "\n\n".join(parts)


def _table(judgement: Judgement) -> str:
    columns = ["count", "doubtful", "p50", "p99", "max", *(f"≤ {bound:,}" for bound in BINS), "more"]
    lines = [f"| Mark | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    lines += [_row(f"`{name}`", errors) for name, errors in judgement.marks.items()]
    lines += [_row(f"phase `{name}`", errors) for name, errors in judgement.phases.items()]
    return "\n".join(lines)


def _row(name: str, errors: Errors) -> str:
    judged = len(errors.values)
    shares = ["–" if not each else f"{each / judged:.1%}" for each in errors.histogram()]
    doubtful = f"{len(errors.doubtful) / errors.count:.1%}" if errors.doubtful else "–"
    figures = [f"{errors.count:,}", doubtful]
    figures += [f"{each:.0f}" for each in (errors.median, errors.p99, errors.largest)] if judged else ["–"] * 3
    return f"| {name} | {' | '.join(figures + shares)} |"


def page(text: str) -> str:
    return f"{_HEAD}{text}\n"

"""All cases on one proxy."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.compare.case import PLAIN_REQUEST, Case
from lab.compare.judgement import DIED, Outcome, judge
from lab.compare.observation import Observation
from lab.compare.peers import Received, ScriptedOrigin, converse
from lab.proxies import Tool

AT_ONCE = 6
# By case, then by proxy.
Seen = dict[str, dict[str, Observation]]
Outcomes = dict[str, dict[str, Outcome]]


def run(contender: type[Tool], cases: list[Case], directory: Path, observations: Seen, outcomes: Outcomes) -> None:
    def note(case: Case, proxy: Tool, observation: Observation | None) -> None:
        died = proxy.server is not None and not proxy.server.is_running()
        if observation:
            observations[case.key][contender.name] = observation
        outcomes[case.key][contender.name] = DIED if died or not observation else judge(case, observation)

    together = [case for case in cases if not case.alone]
    if together:
        proxy = contender(directory)
        proxy.start()
        address = proxy.authority or ""
        via = via_lines(address)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for case, seen in zip(together, pool.map(lambda case: observe(case, address, via), together)):
                note(case, proxy, seen)
        # Silence says something only of a proxy that has had the time to speak: what was silent among others is asked again.
        for case in together:
            seen = observations[case.key].get(contender.name)
            if seen and seen.client.silent:
                note(case, proxy, observe(case, address, via))
        proxy.stop()
    for number, case in enumerate(each for each in cases if each.alone):
        proxy = contender(directory.with_name(f"{directory.name}-{number}"))
        proxy.start()
        note(case, proxy, observe(case, proxy.authority or "", b""))
        proxy.stop()


def via_lines(proxy: str) -> bytes:
    """What this proxy adds to a request to say that it was there."""
    with ScriptedOrigin([]) as origin:
        converse(proxy, Case("", "", [PLAIN_REQUEST], service=bool).script_for(origin.port, proxy, b""), [b"GET"])
    return b"".join(re.findall(rb"(?im)^Via:[^\r]*\r\n", b"".join(origin.received())))


def observe(case: Case, proxy: str, via: bytes) -> Observation | None:
    """`None`: nobody accepts connections any more."""
    origin = ScriptedOrigin(case.answers)
    try:
        received = converse(proxy, case.script_for(origin.port, proxy, via), case.methods)
    except ConnectionRefusedError:
        return None
    except OSError:
        received = Received(b"", closed=True, reset=True)
    finally:
        origin.close()
    return Observation(origin.received(), received, case.methods)

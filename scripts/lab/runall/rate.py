"""Requests per second of wrk through a network of its own, beside wrk that is told about the proxy."""

from __future__ import annotations

import re
import statistics

from lab.load import Sample, parse_result, request_command, secure_request_command
from lab.nginx import Nginx
from lab.process import free_port
from lab.runall.person import Person
from lab.tool import Verdict

LEAST_SHARE = 0.9
COMMANDS = {"HTTP": request_command, "HTTPS": secure_request_command}


def load(person: Person, protocol: str, url: str, is_told: bool, options: list[str], seconds: float) -> Sample:
    if is_told:
        proxy = f"127.0.0.1:{free_port()}"
        words = person.words(["--listen", proxy, *options], COMMANDS[protocol](url, proxy, seconds))
    else:
        words = person.words(["--all", *options], COMMANDS[protocol](url, None, seconds))
    output, errors = person.check(words)
    sample = parse_result(output, errors)
    # What the recorder has no time for is counted.
    known = sum(map(int, re.findall(r"(?:tapeline: |, )(\d+) (?:exchanges|not recorded)", errors)))
    if sample.failed or sample.cut or known < sample.requests:
        raise SystemExit(f"{sample.failed + sample.cut} of {sample.requests} requests failed, {known} are known: {errors}")
    return sample


def measure(person: Person, rounds: int, seconds: float) -> list[Verdict]:
    origin = Nginx(person.directory / "nginx", large_size=1)
    origin.start()
    try:
        options = ["--upstream-ca", str(origin.certificates.root)]
        urls = {"HTTP": origin.small_url, "HTTPS": origin.secure_small_url}
        return [compare(person, protocol, url, options, rounds, seconds) for protocol, url in urls.items()]
    finally:
        origin.stop()


def compare(person: Person, protocol: str, url: str, options: list[str], rounds: int, seconds: float) -> Verdict:
    samples: dict[bool, list[Sample]] = {True: [], False: []}
    for number in range(rounds):
        # Each way is first in every second round.
        for is_told in (True, False) if number % 2 == 0 else (False, True):
            samples[is_told].append(load(person, protocol, url, is_told, options, seconds))
    told, captured = (statistics.median(sample.rate for sample in samples[way]) for way in (True, False))
    shares = [one.rate / other.rate for one, other in zip(samples[False], samples[True], strict=True)]
    share = statistics.median(shares)
    print(f"{protocol}: {told:,.0f} requests/s through variables, {captured:,.0f} through --all; shares of {rounds} pairs: "
          f"{', '.join(f'{each:.2f}' for each in shares)}")  # fmt: skip
    return f"{protocol}: {share:.2f} of the rate through variables; at least {LEAST_SHARE}", share >= LEAST_SHARE

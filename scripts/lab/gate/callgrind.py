"""Counts instructions in user space: the same work gives the same count, to a few in a thousand, however busy the machine is."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lab.process import Server, ServerFailed
from lab.proxy import Tapeline
from lab.tool import binary

# A program runs some fifty times slower.
LONGEST_SECONDS = 600
# What the recorder does for each batch: of the same exchanges a slower machine makes more batches, so this is left out.
FOR_EACH_BATCH = ["$s16TapelineRecorder0B6WorkerC5flush", "$s16TapelineRecorder0B6WorkerC7publish"]
# Callgrind's file of a recording, in its folder.
COUNTS = "record.callgrind"


class Function(NamedTuple):
    library: str
    name: str


class Run(NamedTuple):
    """How often an instruction ran."""

    function: Function
    address: int
    count: int


class Call(NamedTuple):
    """How often an instruction called a function, and the instructions that these calls took."""

    caller: Function
    address: int
    callee: Function
    target: int
    count: int
    cost: int


def stripped(directory: Path) -> Path:
    """The program without the notes for debuggers: valgrind stops at the ones that Swift writes."""
    program = directory / "tapeline"
    subprocess.run(["objcopy", "--strip-debug", binary(), str(program)], check=True)
    symbols = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout
    if missing := [name for name in FOR_EACH_BATCH if f" {name}" not in symbols]:
        raise ServerFailed(f"the program has no {' and no '.join(missing)}, which the gate leaves out: rename it there, too")
    return program


def counting(program: Path, output: Path) -> list[str]:
    # Counting begins at once, and pauses in these functions. Each instruction is counted by its whole address.
    paused = [f"--toggle-collect={name}*" for name in FOR_EACH_BATCH]
    options = [*paused, "--collect-atstart=yes", "--demangle=no", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no"]
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", *options, str(program)]


def total(text: str) -> int:
    """The instructions of all threads, in what callgrind has written."""
    found = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    if not found:
        raise ServerFailed("callgrind wrote no total")
    return int(found[1])


def read(lines: Iterable[str]) -> Iterator[Run | Call]:
    """Callgrind's output (its manual, "Callgrind Format Specification"), by the addresses of instructions in their libraries.

    A name is written once and then goes by its number.
    """
    libraries: dict[str, str] = {}
    names: dict[str, str] = {}

    def resolve(known: dict[str, str], text: str) -> str:
        number, _, name = text.partition(" ")
        return known.setdefault(number, name)

    library = called_library = ""
    function = called = Function("", "")
    call: tuple[int, int] | None = None
    for line in lines:
        key, _, value = line.rstrip("\n").partition("=")
        if key == "ob":
            library = called_library = resolve(libraries, value)
        elif key == "cob":
            called_library = resolve(libraries, value)
        elif key == "fn":
            function = Function(library, resolve(names, value))
        elif key == "cfn":
            called, called_library = Function(called_library, resolve(names, value)), library
        elif key == "calls":
            times, entry, *_ = value.split()
            call = int(times), int(entry, 16)
        elif key.startswith("0x"):
            address, cost = key.split()
            if call:
                count, target = call
                yield Call(function, int(address, 16), called, target, count, int(cost))
            else:
                yield Run(function, int(address, 16), int(cost))
            call = None


def of_command(program: Path, arguments: list[str], directory: Path) -> int:
    output = directory / "command.callgrind"
    log = directory / "command.log"
    with log.open("wb") as file:
        command = [*counting(program, output), *arguments]
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file).returncode
    if status:
        raise ServerFailed(f"{arguments[0]} ended with status {status}\n{log.read_text(errors='replace')[-500:]}")
    return total(output.read_text())


class CountedTapeline(Tapeline):
    """One loop, so that the same thread does the same work."""

    def __init__(self, program: Path, directory: Path, options: list[str]):
        super().__init__(directory, ["--threads", "1", *options])
        self.counts = directory / COUNTS
        self.command_words = counting(program, self.counts)

    def start(self) -> None:
        self.directory.mkdir(parents=True)
        command = [*self.command_words, "record", "--listen", "127.0.0.1:0", "--port-file", str(self.port_file)]
        self.server = Server(self.name, [*command, "--output", str(self.har), *self.options], self.log)
        self.server.wait_for(lambda: self.port_file.exists() and self.port_file.read_text().strip(), LONGEST_SECONDS)
        self.authority = self.port_file.read_text().strip()

    def instructions(self) -> int:
        """Ends it, and says what it took."""
        if status := self.running.stop(signal.SIGINT, LONGEST_SECONDS):
            raise self.running.failure(f"ended with status {status}")
        return total(self.counts.read_text())

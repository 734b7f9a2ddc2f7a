"""Makes hostile files, gives each to commands, and prints what they cost, a line of JSON for each command and file.

    hostile.py DIRECTORY BYTES KIND < commands.json
    hostile.py --kinds

The commands are arrays of words, in which `@` is the file. BYTES is the size of the text, as it is or when it is unpacked. A line
has `kind`, `command`, `status`, `peak` (bytes of memory at the most), and `user` (seconds of the processor, without the system's).
"""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import zlib

HEAD = b'{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"pages":[],"entries":['
TAIL = b"]}}"
REQUEST = b'"request":{"method":"GET","url":"http://h.example/a","httpVersion":"HTTP/1.1","cookies":[],"headers":[%s],"queryString":[],"headersSize":-1,"bodySize":0}'
RESPONSE = b'"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":1,"mimeType":"text/plain"%s},"redirectURL":"","headersSize":-1,"bodySize":1}'
BEGIN = b'{"startedDateTime":"2026-01-02T03:04:05.000Z","time":1,'
END = b',"cache":{},"timings":{"send":0,"wait":1,"receive":0}%s}'


def entry(headers=b"", content=b"", members=b""):
    return BEGIN + REQUEST % headers + b"," + RESPONSE % content + END % members


def repeated(piece, size):
    """Pieces of at most a MiB."""
    block = piece * max(1, (1 << 20) // len(piece))
    whole, rest = divmod(size, len(block))
    for _ in range(whole):
        yield block
    yield piece * (rest // len(piece))


def log(*parts):
    """A capture with what is in `entries`; a part is bytes, or pieces of them."""
    yield HEAD
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            yield from part
    yield TAIL


def within(whole, mark, pieces):
    before, after = whole.split(mark)
    yield before
    yield from pieces
    yield after


MARK = b"@@@"
KINDS = {
    "entries": lambda n: log(repeated(entry() + b",", n), entry()),
    "empty-entries": lambda n: log(repeated(b"{},", n), b"{}"),
    "no-entries": lambda n: log(repeated(b"0,", n), b"0"),
    "blanks": lambda n: log(repeated(b" ", n), entry()),
    "pages": lambda n: within(HEAD.replace(b"[]", b"[@@@{}]") + entry() + TAIL, MARK, repeated(b'{"id":"p","title":"t"},', n)),
    "members": lambda n: within(HEAD.replace(b'"pages"', b'@@@"pages"') + entry() + TAIL, MARK, repeated(b'"_a":1,', n)),
    "one-member": lambda n: within(HEAD.replace(b'"pages"', b'"_a":[@@@0],"pages"') + entry() + TAIL, MARK, repeated(b"0,", n)),
    "lists": lambda n: log(within(entry(members=b',"_a":@@@'), MARK, [b"[" * (n // 2), b"]" * (n // 2)])),
    "open-lists": lambda n: log(within(entry(members=b',"_a":@@@'), MARK, repeated(b"[", n))),
    "objects": lambda n: log(within(entry(members=b',"_a":@@@1'), MARK, repeated(b'{"a":', n))),
    "text": lambda n: log(within(entry(content=b',"text":"@@@"'), MARK, repeated(b"abcdefg ", n))),
    "secrets": lambda n: log(within(entry(content=b',"text":"@@@"'), MARK, repeated(b"password=", n))),
    "escapes": lambda n: log(within(entry(content=b',"text":"@@@"'), MARK, repeated(b"\\u0000", n))),
    "markup": lambda n: log(within(entry(content=b',"text":"@@@"').replace(b"text/plain", b"text/html"), MARK, repeated(b"<a href=/", n))),
    "events": lambda n: log(within(entry(content=b',"text":"@@@"').replace(b"text/plain", b"text/event-stream"), MARK, repeated(b"data: a\\n", n))),
    "base64": lambda n: log(within(entry(content=b',"encoding":"base64","text":"@@@"'), MARK, repeated(b"AAAA", n))),
    "url": lambda n: log(within(entry().replace(b"example/a", b"example/@@@"), MARK, repeated(b"a?b&", n))),
    "headers": lambda n: log(within(entry(headers=b'@@@{"name":"a","value":"b"}'), MARK, repeated(b'{"name":"a","value":"b"},', n))),
    "cookies": lambda n: log(within(entry(headers=b'{"name":"Cookie","value":"@@@"}'), MARK, repeated(b"a=b; ", n))),
    "name": lambda n: log(within(entry(members=b',"_@@@":1'), MARK, repeated(b"n", n))),
    "names": lambda n: log(within(entry(members=b',@@@"_z":1'), MARK, repeated(b'"_a":1,', n))),
    "number": lambda n: log(within(entry(members=b',"_a":1@@@'), MARK, repeated(b"0", n))),
    "open-text": lambda n: log(within(entry(content=b',"text":"@@@'), MARK, repeated(b"a", n))),
    "messages": lambda n: log(within(entry(members=b',"_webSocketMessages":[@@@{}]'), MARK, repeated(b'{"type":"send","time":1,"opcode":1,"data":"a"},', n))),
    "chunks": lambda n: log(within(entry(members=b',"_chunks":[@@@{}]'), MARK, repeated(b'{"ts":1000,"bytes":2},', n))),
    "curl-lines": lambda n: repeated(b"* nothing of interest\n", n),
    "curl-requests": lambda n: repeated(b"=> Send header, 18 bytes (0x12)\n0000: GET /a HTTP/1.1\n0011: \n<= Recv header, 17 bytes (0x11)\n0000: HTTP/1.1 200 OK\n0011: \n", n),
    "curl-line": lambda n: repeated(b"0", n),
}


def pack(pieces, form):
    if form == "gz":
        packer = zlib.compressobj(6, wbits=31)
        for piece in pieces:
            yield packer.compress(piece)
        yield packer.flush()
        return
    packer = zlib.compressobj(6, wbits=-15)
    packed, size, check = bytearray(), 0, 0
    for piece in pieces:
        packed += packer.compress(piece)
        size, check = size + len(piece), zlib.crc32(piece, check)
    packed += packer.flush()
    about = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, check, len(packed), size, 5, 0)
    local = b"PK\3\4" + about + b"a.har"
    central = b"PK\1\2" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"a.har"
    yield local + packed + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + len(packed), 0)


def main():
    if sys.argv[1] == "--kinds":
        return print(json.dumps(list(KINDS)))
    directory, size, kind = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    name, _, form = kind.partition(".")
    pieces = KINDS[name](size)
    path = directory / f"{kind}.{size}"
    with open(path, "wb") as file:
        for piece in pack(pieces, form) if form in ("gz", "zip") else pieces:
            file.write(piece)
    if form == "zst":
        subprocess.run(["zstd", "-q", "-f", "--rm", path, "-o", f"{path}.zst"], check=True)
        path = path.with_name(f"{path.name}.zst")
    os.chmod(path, 0o600)
    for words in json.load(sys.stdin):
        command = [word.replace("@", str(path)) for word in words]
        child = os.fork()
        if child == 0:
            signal.alarm(300)
            nothing = os.open("/dev/null", os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nothing, number)
            os.execvp(command[0], command)
        _, status, usage = os.wait4(child, 0)
        print(json.dumps({"kind": kind, "command": " ".join(words[1:]), "status": os.waitstatus_to_exitcode(status),
                          "peak": usage.ru_maxrss * 1024, "user": usage.ru_utime, "size": os.path.getsize(path)}), flush=True)
    path.unlink(missing_ok=True)


main()

extension WaysOut {
  /// By what an administrator of the network could do.
  static let privileges = [
    WayOut(
      "capabilities", .nothing,
      by: """
        with open("/proc/self/status") as file:
            sets = {l.split()[0]: int(l.split()[1], 16) for l in file if l.startswith("Cap")}
        # CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_SYS_ADMIN; and none that a program keeps that it starts.
        wrong = {k: v for k, v in sets.items() if v & (1 << 12 | 1 << 19 | 1 << 21) or k in ("CapInh:", "CapAmb:") and v}
        return str(wrong) if wrong else "nothing"
        """),
    WayOut("new-network", .refused, by: "checked(libc.unshare(NEWNET)); return outside()"),
    WayOut("new-network-in-a-user-namespace", .refused, by: "checked(libc.unshare(NEWUSER | NEWNET)); return outside()"),
    WayOut("new-mounts", .refused, by: #"checked(libc.unshare(0x20000)); return "answered""#),
    WayOut("new-proc", .refused, by: #"checked(libc.mount(b"proc", b"/proc", b"proc", 0, None)); return "answered""#),
    WayOut(
      "bound-namespace", .refused,
      by: """
        checked(libc.mount(b"/proc/%d/ns/net" % ours, b"/proc/self/ns/net", None, 4096, None))
        return "answered"
        """),
    WayOut("network-of-the-first-process", .refused, by: #"return enter(os.open("/proc/1/ns/net", os.O_RDONLY))"#),
    WayOut("network-of-ours", .refused, by: #"return enter(os.open(f"/proc/{ours}/ns/net", os.O_RDONLY))"#),
    WayOut("everything-of-the-first-process", .refused, by: "return enter(os.pidfd_open(1))"),
    WayOut("everything-of-ours", .refused, by: "return enter(os.pidfd_open(ours), NEWNET | NEWUSER)"),
    WayOut("users-of-ours", .refused, by: #"return enter(os.open(f"/proc/{ours}/ns/user", os.O_RDONLY), NEWUSER)"#),
    WayOut("users-of-the-guard", .refused, by: #"return enter(os.open(f"/proc/{guardian()}/ns/user", os.O_RDONLY), NEWUSER)"#),
    WayOut(
      "network-of-a-socket", .refused, by: "return enter(fcntl.ioctl(socket.socket(), 0x894C))"),
    WayOut(
      "users-above-the-network", .refused,
      by: """
        users = fcntl.ioctl(os.open("/proc/self/ns/net", os.O_RDONLY), 0xb701)
        return enter(fcntl.ioctl(users, 0xb702), NEWUSER)
        """),
    WayOut(
      "nsenter", .refused,
      by: """
        if os.spawnlp(os.P_WAIT, "sh", "sh", "-c", f"exec nsenter -t {ours} -n true 2>/dev/null"):
            raise PermissionError
        return "answered"
        """),
    WayOut("interface-down", .refused, by: #"return netlink(0, 16, struct.pack("=BBHiII", 0, 0, 0, 1, 0, 1))"#),
    WayOut(
      "interface-new", .refused,
      by: #"return netlink(0, 16, bytes(16) + struct.pack("=HHHH4s", 16, 18 | 0x8000, 8, 1, b"veth"), 0x605)"#),
    WayOut(
      "interface-taken", .refused, by: #"return netlink(0, 16, struct.pack("=BBHiIIHHI", 0, 0, 0, 1, 0, 0, 8, 19, 1))"#),
    WayOut(
      "address-new", .refused,
      by: #"return netlink(0, 20, struct.pack("=BBBBIHH4s", 2, 32, 0, 0, 1, 8, 2, socket.inet_aton("192.0.2.99")), 0x605)"#),
    WayOut(
      "route-new", .refused,
      by: #"return netlink(0, 24, struct.pack("=BBBBBBBBIHHI", 2, 0, 0, 0, 254, 4, 0, 1, 0, 8, 4, 1), 0x605)"#),
    WayOut("route-gone", .refused, by: #"return netlink(0, 25, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 254, 0, 0, 0, 0))"#),
    WayOut(
      "route-rule-new", .refused, by: #"return netlink(0, 32, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 254, 0, 0, 1, 0), 0x605)"#),
    WayOut("filter-gone", .refused, by: #"return netlink(12, 10 << 8 | 2, bytes(4))"#),
    WayOut("packets-taken", .refused, by: #"return netlink(12, 3 << 8 | 2, bytes(4) + struct.pack("=HHBBH", 8, 1, 1, 0, 0))"#),
    WayOut("connection-broken", .refused, by: "return netlink(4, 21, bytes([2, 6]) + bytes(54))"),
    WayOut("packets-encrypted", .refused, by: "return netlink(6, 16, bytes(224))"),
    WayOut("old-filter", .refused, by: #"socket.socket().setsockopt(0, 64, bytes(96)); return "answered""#),
    WayOut(
      "old-interface-down", .refused, by: #"fcntl.ioctl(socket.socket(), 0x8914, b"lo".ljust(40, b"\0")); return "answered""#),
    WayOut("old-route-new", .refused, by: #"fcntl.ioctl(socket.socket(), 0x890B, bytes(120)); return "answered""#),
    WayOut(
      "tunnel-device", .refused,
      by: """
        tunnel = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tunnel, 0x400454CA, b"way".ljust(16, b"\\0") + struct.pack("=H", 0x1001) + bytes(22))
        return "answered"
        """),
    WayOut(
      "program-in-the-kernel", .refused,
      by: """
        code, licence = ctypes.create_string_buffer(struct.pack("=BBhi", 0xB7, 0, 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0)), ctypes.create_string_buffer(b"GPL")
        attributes = struct.pack("=IIQQ", 3, 2, ctypes.addressof(code), ctypes.addressof(licence)).ljust(120, b"\\0")
        checked(libc.syscall(321 if os.uname().machine == "x86_64" else 280, 5, attributes, len(attributes)))
        return "answered"
        """),
  ]

  /// By what processes of ours have.
  static let processes = [
    WayOut(
      "descriptors", .nothing,
      by: """
        more = {n: where for n, where in given.items() if n > 2 and n != int(sys.argv[3])}
        return str(more) if more else "nothing"
        """),
    WayOut(
      "children-of-ours", .nothing,
      by: """
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return file.read() or "nothing"
        """),
    WayOut("ours-traced", .refused, by: "return trace(ours)"),
    WayOut("guard-traced", .refused, by: "return trace(guardian())"),
    WayOut("first-process-traced", .refused, by: "return trace(1)"),
    WayOut("descriptors-of-ours", .refused, by: "return taken(ours)"),
    WayOut("descriptors-of-the-guard", .refused, by: "return taken(guardian())"),
    WayOut("descriptors-of-the-first-process", .refused, by: "return taken(1)"),
    WayOut("descriptors-of-ours-by-name", .refused, by: #"return read(f"/proc/{ours}/fd/0")"#),
    WayOut("root-of-ours", .refused, by: #"os.listdir(f"/proc/{ours}/root/"); return "answered""#),
    WayOut("root-of-the-first-process", .refused, by: #"os.listdir("/proc/1/root/"); return "answered""#),
    WayOut("memory-of-ours", .refused, by: #"return read(f"/proc/{ours}/mem")"#),
    WayOut("memory-of-the-guard", .refused, by: #"return read(f"/proc/{guardian()}/mem")"#),
    WayOut("environment-of-ours", .refused, by: #"return read(f"/proc/{ours}/environ")"#),
    WayOut(
      "memory-of-ours-by-a-call", .refused,
      by: """
        here = ctypes.create_string_buffer(8)
        part = struct.pack("=QQ", ctypes.addressof(here), 8)
        checked(libc.process_vm_readv(ours, part, 1, struct.pack("=QQ", 4096, 8), 1, 0))
        return "answered"
        """),
  ]
}

internal import CTapeline
internal import TapelineSystem

/// A TCP socket of this machine, as the kernel's tables show it (proc_net(5)).
package struct TCPSocket: Hashable, Sendable {
  package let local: SocketAddress
  /// Without an address and a port if the socket listens.
  package let remote: SocketAddress
  package let state: State
  /// The user who opened it.
  package let user: UInt32
  /// The number by which descriptors refer to it; 0 if no process holds it any more.
  package let inode: UInt64

  /// The kernel's numbers.
  package enum State: UInt8, Sendable {
    case established = 1, synSent, synReceived, finWait1, finWait2, timeWait, close, closeWait, lastAck, listen, closing,
      newSynReceived
  }

  /// All sockets that a process can have: those of its network namespace.
  ///
  /// - Parameter process: `nil` for this process.
  package static func all(seenBy process: Int32? = nil) -> [TCPSocket] {
    let directory = "/proc/\(process.map(String.init) ?? "self")/net"
    return SocketAddress.Family.allCases.flatMap { table("\(directory)/\($0.tableName)", family: $0) }
  }

  /// The socket that connects these two addresses, seen from `local`. An IPv6 socket may hold an IPv4 connection.
  package static func connecting(_ local: SocketAddress, to remote: SocketAddress) -> TCPSocket? {
    let (local, remote) = (local.unmapped, remote.unmapped)
    let families: [SocketAddress.Family] = local.family == .ipv4 ? [.ipv4, .ipv6] : [.ipv6]
    for family in families {
      // Only a row with both ends is parsed: the table may be long.
      let ends = Array("\(local.tableText(family)) \(remote.tableText(family)) ".utf8)
      guard let content = ProcFile.read("/proc/self/net/\(family.tableName)", limit: limit),
        let row = ProcFile.row(of: content, beginningWith: ends)
      else { continue }
      return TCPSocket(row, family: family)
    }
    return nil
  }

  /// The inode of the socket that connects these two addresses, seen from `local`; 0 if no process holds it.
  ///
  /// This asks the kernel for one socket. It reads the whole table, which takes the kernel milliseconds even if there are few
  /// rows, only if that question is not allowed.
  static func inode(connecting local: SocketAddress, to remote: SocketAddress) -> UInt64? {
    var (near, far) = (local.unmapped.fenced, remote.unmapped.fenced)
    var inode: UInt64 = 0
    return switch unsafe tapeline_socket_inode(&near, &far, &inode) {
    case 0: inode
    case -ErrorCode.notFound: nil
    default: connecting(local, to: remote)?.inode
    }
  }

  /// The maximum size of a table: a hundred thousand sockets at 150 bytes a row.
  private static let limit = 16 << 20

  private static func table(_ path: String, family: SocketAddress.Family) -> [TCPSocket] {
    // The first line is a heading.
    (ProcFile.read(path, limit: limit) ?? []).split(separator: UInt8(ascii: "\n")).dropFirst().compactMap {
      TCPSocket($0, family: family)
    }
  }

  /// Reads a row of `/proc/net/tcp` or `tcp6`.
  init?(_ row: ArraySlice<UInt8>, family: SocketAddress.Family) {
    let fields = row.split(separator: UInt8(ascii: " "))
    guard fields.count > 9, let local = SocketAddress(table: fields[1], family: family),
      let remote = SocketAddress(table: fields[2], family: family),
      let state = UInt8(String(decoding: fields[3], as: UTF8.self), radix: 16).flatMap(State.init),
      let user = UInt32(decimal: fields[7]), let inode = UInt64(decimal: fields[9])
    else { return nil }
    self.local = local
    self.remote = remote
    self.state = state
    self.user = user
    self.inode = inode
  }
}

extension SocketAddress.Family: CaseIterable {
  package static let allCases: [SocketAddress.Family] = [.ipv4, .ipv6]

  fileprivate var tableName: String {
    switch self {
    case .ipv4: "tcp"
    case .ipv6: "tcp6"
    }
  }
}

internal import CTapeline
internal import TapelineSystem
internal import TapelineBase

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
  ///
  /// - Parameter diagnostics: a socket of another network (`SystemCalls.makeDiagnosticSocket`), which is asked alone.
  static func inode(
    connecting local: SocketAddress, to remote: SocketAddress, askedBy diagnostics: Int32? = nil
  ) -> UInt64? {
    do throws(SystemCallError) {
      return try SystemCalls.socketOwner(
        connecting: local.unmapped.fenced, to: remote.unmapped.fenced, askedBy: diagnostics
      ).inode
    } catch {
      return error.code == ErrorCode.notFound || diagnostics != nil ? nil : connecting(local, to: remote)?.inode
    }
  }

  /// The user who holds the socket that connects these two addresses, seen from `local`; `nil` if no process of this network
  /// does.
  ///
  /// - Parameter diagnostics: a socket of this network (`SystemCalls.makeDiagnosticSocket`), which saves making one; `nil` if
  ///   there is
  ///   none.
  package static func user(
    connecting local: SocketAddress, to remote: SocketAddress, askedBy diagnostics: Int32? = nil
  ) -> UInt32? {
    do throws(SystemCallError) {
      let owner = try SystemCalls.socketOwner(
        connecting: local.unmapped.fenced, to: remote.unmapped.fenced, askedBy: diagnostics)
      // The kernel forgets the user of a socket that nobody holds, and says 0, which would be root.
      return owner.inode == 0 ? nil : owner.user
    } catch {
      // Not every kernel answers: the table then knows.
      return connecting(local, to: remote).flatMap { $0.inode == 0 ? nil : $0.user }
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

extension SocketAddress {
  /// Reads `0100007F:1F90`, the format of the kernel's tables: words in memory order, and the port as a number.
  init?(table text: ArraySlice<UInt8>, family: Family) {
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    let wordCount = family == .ipv4 ? 1 : 4
    guard parts.count == 2, parts[0].count == wordCount * 8, let port = Self.number(UInt16.self, parts[1]) else { return nil }
    var words: [UInt32] = []
    for index in 0..<wordCount {
      let start = parts[0].startIndex + index * 8
      guard let word = Self.number(UInt32.self, parts[0][start..<start + 8]) else { return nil }
      words.append(UInt32(bigEndian: word))
    }
    var address = tapeline_address()
    address.is_ipv6 = family == .ipv6
    address.port = port
    switch family {
    case .ipv4: address.bytes = (Self.half(words[0], 0), 0)
    case .ipv6: address.bytes = (Self.half(words[0], words[1]), Self.half(words[2], words[3]))
    }
    self.init(address)
  }

  private static func number<Number: FixedWidthInteger>(_ type: Number.Type, _ digits: ArraySlice<UInt8>) -> Number? {
    Number(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Two words, as read from the table, in memory order.
  private static func half(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(bigEndian: UInt64(first) << 32 | UInt64(second))
  }

  /// The IPv4 address for an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2); any other address unchanged.
  var unmapped: SocketAddress {
    family == .ipv6 && !isUnspecified && reached.family == .ipv4 ? reached.with(port: port) : self
  }

  /// The address in the format of a table of `family`. An IPv4 address in an IPv6 table is a mapped one.
  func tableText(_ family: Family) -> String {
    var bytes = ip.bytes
    if family == .ipv6, bytes.count == 4 { bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes }
    var text = ""
    for index in stride(from: 0, to: bytes.count, by: 4) {
      let word = bytes[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      text += Self.digits(UInt64(UInt32(bigEndian: word)), count: 8)
    }
    return text + ":" + Self.digits(UInt64(port), count: 4)
  }

  private static func digits(_ value: UInt64, count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

package import CTapeline
internal import Glibc
internal import TapelineBase

/// Why a name has no addresses.
package enum ResolverError: Error, Sendable, Hashable {
  /// There is no such name, or it has no address.
  case notFound(String)
  case failed(String)
}

// Internet addresses, as text and as answers of the resolver and the kernel.
extension SystemCalls {
  /// Reads `127.0.0.1`, `::1`, `fe80::1%eth0`; `nil` for anything else, including names and brackets.
  package static func address(of literal: String, port: UInt16) -> tapeline_address? {
    // C would end the text at a NUL.
    guard !literal.utf8.contains(0) else { return nil }
    var address = tapeline_address()
    return unsafe tapeline_parse_address(literal, port, &address) ? address : nil
  }

  /// The text of an address alone, without brackets or port.
  package static func text(of address: tapeline_address) -> String {
    // Each connection has two such texts, and the C library takes five times as long for one.
    if !address.is_ipv6 { return IPAddress.dotted(UInt32(bigEndian: UInt32(truncatingIfNeeded: address.bytes.0))) }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 80) { buffer in
      var address = address
      let status = unsafe tapeline_format_address(&address, buffer.baseAddress, buffer.count)
      precondition(status == 0, "an address of a known family has a text")
      guard let start = buffer.baseAddress else { return "" }
      return unsafe String(cString: start)
    }
  }

  /// The first IPv4 address of an active interface other than loopback; `nil` if the machine has only loopback.
  package static var interfaceAddress: tapeline_address? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return nil }
    defer { unsafe freeifaddrs(list) }
    var next = unsafe list
    while let interface = unsafe next {
      let flags = unsafe interface.pointee.ifa_flags
      if flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0, let name = unsafe interface.pointee.ifa_addr,
        unsafe name.pointee.sa_family == sa_family_t(AF_INET)
      {
        let bits = unsafe name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee.sin_addr.s_addr }
        let host = [24, 16, 8, 0].map { "\(UInt32(bigEndian: bits) >> $0 & 0xFF)" }.joined(separator: ".")
        return address(of: host, port: 0)
      }
      unsafe next = unsafe interface.pointee.ifa_next
    }
    return nil
  }

  /// The address of ours from which packets to `address` would leave; `nil` without a route.
  package static func source(towards address: tapeline_address) -> tapeline_address? {
    var (name, source) = (address, tapeline_address())
    return unsafe tapeline_source_address(&name, &source) == 0 ? source : nil
  }

  /// A socket by which the kernel is asked for the sockets of the network in which it was made (sock_diag(7)).
  package static func makeDiagnosticSocket() throws(SystemCallError) -> Int32 {
    try retrying(.socket) { tapeline_diagnostic_socket() }
  }

  /// Whose a TCP socket is.
  package struct SocketOwner: Sendable {
    /// The number by which descriptors refer to the socket; 0 if no process holds it.
    package let inode: UInt64
    /// The user who opened it. It says nothing if no process holds the socket.
    package let user: UInt32
  }

  /// The owner of the socket that connects `near` to `far`.
  ///
  /// - Parameter diagnostics: the socket by which to ask, one question at a time; `nil`: of this process's network.
  /// - Throws: `ErrorCode.notFound` if there is no such socket, other errors if the kernel does not let us ask.
  package static func socketOwner(
    connecting near: tapeline_address, to far: tapeline_address, askedBy diagnostics: Int32? = nil
  ) throws(SystemCallError) -> SocketOwner {
    guard let diagnostics else {
      let own = try makeDiagnosticSocket()
      defer { discard(own) }
      return try socketOwner(connecting: near, to: far, askedBy: own)
    }
    var (near, far) = (near, far)
    var (inode, user) = (UInt64(0), UInt32(0))
    let status = unsafe tapeline_socket_owner(diagnostics, &near, &far, &inode, &user)
    guard status == 0 else { throw SystemCallError(code: -status, call: .socket) }
    return SocketOwner(inode: inode, user: user)
  }

  /// Asks the system for the addresses of a host, for TCP, and waits for the answer.
  ///
  /// - Parameter onlyConfiguredFamilies: leaves out the addresses of families that no interface has, apart from loopback.
  /// - Returns: at least one address.
  package static func resolve(
    _ host: String, port: UInt16, onlyConfiguredFamilies: Bool
  ) throws(ResolverError) -> [tapeline_address] {
    // C would end the name at a NUL and look up another name.
    guard !host.isEmpty, !host.utf8.contains(0) else { throw .notFound("not a host name") }
    // Enough for any name that serves connections.
    let limit = 32
    var isResolverCode = false
    var status: Int32 = 0
    let addresses = unsafe [tapeline_address](unsafeUninitializedCapacity: limit) { buffer, count in
      status = unsafe tapeline_resolve(
        host, port, onlyConfiguredFamilies, buffer.baseAddress, Int32(limit), &isResolverCode)
      count = max(0, Int(status))
    }
    if status > 0 { return addresses }
    if status == 0 { throw .notFound("no address") }
    guard isResolverCode else { throw .failed(SystemCallError.text(of: -status)) }
    let text = unsafe tapeline_resolver_error_text(status).map { unsafe String(cString: $0) } ?? "error \(status)"
    throw tapeline_is_name_not_found(status) ? .notFound(text) : .failed(text)
  }
}

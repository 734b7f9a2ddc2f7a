internal import Glibc

/// The loopback address of one family: test traffic goes nowhere else.
package enum Loopback: CaseIterable, Sendable {
  case v4
  case v6

  /// As written in a URL's authority.
  package var host: String {
    switch self {
    case .v4: "127.0.0.1"
    case .v6: "[::1]"
    }
  }

  var family: Int32 {
    switch self {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Calls `body` with this address and `port` as a socket address.
  func withSocketAddress(
    port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    switch self {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      return unsafe asSocketAddress(&address, body)
    case .v6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return unsafe asSocketAddress(&address, body)
    }
  }
}

private func asSocketAddress<Address>(
  _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      unsafe body(pointer, socklen_t(MemoryLayout<Address>.size))
    }
  }
}

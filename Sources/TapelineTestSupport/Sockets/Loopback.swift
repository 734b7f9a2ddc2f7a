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

/// An IPv4 address of this machine that is not loopback. A client that connects to it counts as another machine, although all
/// traffic stays on this one.
package struct InterfaceAddress: Sendable {
  /// As written in a URL.
  package let host: String
  private let name: sockaddr_in

  /// The first address of an active interface; `nil` when the machine has only loopback.
  package static let first: InterfaceAddress? = {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return nil }
    defer { unsafe freeifaddrs(list) }
    var next = unsafe list
    while let interface = unsafe next {
      if let address = unsafe InterfaceAddress(interface.pointee) { return address }
      unsafe next = unsafe interface.pointee.ifa_next
    }
    return nil
  }()

  private init?(_ interface: ifaddrs) {
    let flags = unsafe interface.ifa_flags
    guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0 else { return nil }
    guard let address = unsafe interface.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
    name = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee }
    let bytes = unsafe withUnsafeBytes(of: name.sin_addr.s_addr) { unsafe Array($0) }
    host = bytes.map { "\($0)" }.joined(separator: ".")
  }

  func withSocketAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var name = name
    name.sin_port = port.bigEndian
    return unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

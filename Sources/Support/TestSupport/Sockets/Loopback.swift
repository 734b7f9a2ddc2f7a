internal import CTapeline
internal import TapelineSystem

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

  func socketAddress(port: UInt16) -> tapeline_address {
    switch self {
    case .v4: TapelineTestSupport.socketAddress("127.0.0.1", port: port)
    case .v6: TapelineTestSupport.socketAddress("::1", port: port)
    }
  }
}

/// An IPv4 address of this machine that is not loopback. A client that connects to it counts as another machine, although all
/// traffic stays on this one.
package struct InterfaceAddress: Sendable {
  /// As written in a URL.
  package let host: String

  /// The first address of an active interface; `nil` when the machine has only loopback.
  package static let first = SystemCalls.interfaceAddress.map { InterfaceAddress(host: SystemCalls.text(of: $0)) }

  func socketAddress(port: UInt16) -> tapeline_address {
    TapelineTestSupport.socketAddress(host, port: port)
  }
}

private func socketAddress(_ literal: String, port: UInt16) -> tapeline_address {
  guard let address = SystemCalls.address(of: literal, port: port) else {
    preconditionFailure("\(literal) is an address")
  }
  return address
}

/// How a client came to the proxy.
package enum Door: Sendable, Hashable {
  /// The client names each destination in HTTP, or by the hello of TLS.
  case proxy
  /// The client named one destination by SOCKS.
  case socks(SOCKSVersion)
  /// The client came to an address of ours that leads to one origin, `http://HOST[:PORT]` or `https://HOST[:PORT]`.
  case reverse(origin: String)
  /// The client, in a network of its own, connected to the destination itself, and knows of no proxy.
  case network
  /// There is no client: a session of the library records its own exchanges.
  case library

  /// Whether HTTP in clear is read at the destination even if nothing is decrypted: as it is where each request names its own.
  package var readsClear: Bool {
    switch self {
    case .proxy, .library: false
    case .socks, .reverse, .network: true
    }
  }

  /// The word in the log; `nil` for the usual door.
  package var name: String? {
    switch self {
    case .proxy: nil
    case .socks(let version): version.rawValue
    case .reverse: "reverse"
    case .network: "network"
    case .library: "library"
    }
  }
}

/// The versions of SOCKS that clients speak. The raw value is the word in the log.
package enum SOCKSVersion: String, Sendable, Hashable {
  /// With the address of the destination.
  case v4 = "socks4"
  /// With its name.
  case v4a = "socks4a"
  /// RFC 1928.
  case v5 = "socks5"
}

/// The codes with which a client's SOCKS request is answered (RFC 1928 6).
package enum SOCKSReply: UInt8, Sendable, Hashable, CaseIterable {
  case succeeded = 0
  case generalFailure = 1
  case notAllowed = 2
  case hostUnreachable = 4
  case connectionRefused = 5
  case expired = 6
  case commandNotSupported = 7
  case addressTypeNotSupported = 8

  /// The word in the log.
  package var name: String {
    switch self {
    case .succeeded: "succeeded"
    case .generalFailure: "general-failure"
    case .notAllowed: "not-allowed"
    case .hostUnreachable: "host-unreachable"
    case .connectionRefused: "connection-refused"
    case .expired: "ttl-expired"
    case .commandNotSupported: "command-not-supported"
    case .addressTypeNotSupported: "address-type-not-supported"
    }
  }
}

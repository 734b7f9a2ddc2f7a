package import TapelineLoop
package import TapelineSystem
package import TapelineTime

/// Which connection an attempt used.
package struct ConnectionInfo: Sendable {
  private let endpoints: Endpoints
  /// Whether an earlier exchange used this connection.
  package var isReused = false
  /// The kernel's last figures of it.
  package var tcp: TCPStatistics?
  /// The figures when the exchange began.
  private var tcpStart: TCPSample?
  /// How the connection did during the exchange; `nil` until that ends.
  package private(set) var tcpHistory: TCPHistory?
  /// Whether the origin has asked for a certificate, and got none.
  package private(set) var lacksCertificate = false
  /// Whether it ended without close_notify.
  package private(set) var endedWithoutNotify = false

  init(id: UInt64, peer: SocketAddress, local: SocketAddress?, proxy: String?, tcpAtConnect: TCPStatistics?) {
    endpoints = Endpoints(id: id, peer: peer, local: local, proxy: proxy, tcpAtConnect: tcpAtConnect)
  }

  /// An exchange begins. For its copy: the connection's own has no exchange.
  mutating func begin(on link: Link?) {
    tcpStart = link?.beginTCPHistory(at: .now)
  }

  /// The exchange ends: asks the kernel, while that is possible.
  mutating func measure(_ link: Link?) {
    guard let link else { return }
    lacksCertificate = link.lacksCertificate
    endedWithoutNotify = link.inputIsTruncated
    let now = MonotonicInstant.now
    if let statistics = link.recentTCPStatistics(at: now) { tcp = statistics }
    if let tcpStart { tcpHistory = link.tcpHistory(since: tcpStart, at: now) }
  }

  /// Unique among the process's connections of both sides.
  package var id: UInt64 { endpoints.id }

  /// The numeric address that answered, without brackets: the upstream proxy's where there is one.
  package var address: String { endpoints.address }

  package var port: UInt16 { endpoints.port }

  /// Our own end.
  package var local: SocketAddress? { endpoints.local }

  /// The upstream proxy that the connection goes through, as `host:port`.
  package var proxy: String? { endpoints.proxy }

  /// The kernel's figures when the connection had just been made: the round trip of its handshake.
  package var tcpAtConnect: TCPStatistics? { endpoints.tcpAtConnect }
}

/// The values that are the same for every exchange on the connection: one object that all their metrics share.
private final class Endpoints: Sendable {
  let id: UInt64
  let address: String
  let port: UInt16
  let local: SocketAddress?
  let proxy: String?
  let tcpAtConnect: TCPStatistics?

  init(id: UInt64, peer: SocketAddress, local: SocketAddress?, proxy: String?, tcpAtConnect: TCPStatistics?) {
    self.id = id
    address = peer.host
    port = peer.port
    self.local = local
    self.proxy = proxy
    self.tcpAtConnect = tcpAtConnect
  }
}

/// Numbers the process's connections, of clients and of origins alike.
package enum ConnectionID {
  /// A number no other connection of this process has.
  package static func next() -> UInt64 { ProcessNumber.nextConnection() }
}

/// How the bytes of one attempt divide into heads and bodies.
package struct ByteCounts: Hashable, Sendable {
  package var requestHead: UInt64 = 0
  /// Without chunked framing.
  package var requestBody: UInt64 = 0
  /// Bytes of heads, those of interim responses included.
  package var responseHead: UInt64 = 0
  /// Without chunked framing; content codings as they came.
  package var responseBody: UInt64 = 0

  package init() {}
}

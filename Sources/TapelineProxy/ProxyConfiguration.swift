package import TapelineHTTP
package import TapelineLoop
package import TapelineTLS
package import TapelineTransport

/// Everything that can be chosen about the proxy. Times are in nanoseconds, sizes in bytes.
package struct ProxyConfiguration: Sendable {
  /// The bodies that are kept in the record. All bodies are relayed whole.
  package enum BodyPolicy: Sendable, Hashable {
    case none
    /// Bodies whose media type is text.
    case text
    case all
  }

  package var listen: [SocketAddress]
  /// Event loops, each with its own thread and connections.
  package var threads = 1

  // We set no time-outs of our own: `nil` means no limit, and the kernel finds out whether the peer is still alive.
  /// Per address of the origin.
  package var connectTimeout: Int64?
  /// Longest silence of a connection that owes something, and longest life of one that owes nothing.
  package var idleTimeout: Int64?
  /// For the whole request head, from its first byte.
  package var headerTimeout: Int64?
  /// From the last byte of the request, or the last 1xx, to the end of the next response head.
  package var responseTimeout: Int64?

  /// Whether all clients share the connections to origins. Otherwise each belongs to the client connection that it was opened
  /// for.
  package var sharesConnections = false
  /// Whether messages to and from origins say in `Via` that they came through here. Messages to another proxy always do.
  package var namesItself = false
  /// The name in `Via`, by which we recognise a request that has been here before.
  package let pseudonym = Pseudonym.unique()
  package var limits = HTTPLimits()
  package var bodies = BodyPolicy.all
  /// The most bytes kept per body.
  package var maxBody = 1 << 20
  /// Client connections at a time, over all loops. Clients beyond them wait in the listeners' queues.
  package var maxConnections = 1024

  /// The rules for who may use the proxy and which hosts they may reach.
  package var access = AccessPolicy()
  /// Metrics of others for `/metrics`, such as the recorder's. Called on a loop: it does not wait.
  package var metrics: (@Sendable (inout PrometheusText) -> Void)?
  /// This machine's own name, under which the local pages answer too.
  package var hostName = ""

  /// Makes the transport that replaces the network's, which it is given. Called once per loop, on that loop.
  package var transport: (@Sendable (NetworkTransport) -> any ProxyTransport)?

  /// How origins are reached, if not directly.
  package var upstreamProxy: UpstreamProxy?

  /// Which TLS connections are decrypted; `nil`: none, so that every tunnel stays closed.
  package var interception: Interception?
  /// How origins are verified. Needed where `interception` is on.
  package var upstreamTLS: TLSClientContext?

  package init(listen: [SocketAddress]) {
    self.listen = listen
  }
}

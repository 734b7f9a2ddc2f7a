package import TapelineHTTP
package import TapelineLoop
package import TapelineTLS
package import TapelineTransport

/// Everything that can be chosen about the proxy. Times are in nanoseconds, sizes in bytes.
package struct ProxyConfiguration: Sendable {
  /// Which bodies are kept in the record. All are relayed whole.
  package enum BodyPolicy: Sendable, Hashable {
    case none
    /// Those whose media type says text.
    case text
    case all
  }

  package var listen: [SocketAddress]
  /// Event loops, each with its own thread and connections.
  package var threads = 1

  // We have no patience of our own: a limit that is `nil` is none, and the kernel finds out whether the peer still lives.
  /// Per address of the origin.
  package var connectTimeout: Int64?
  /// Longest silence of a connection that owes something, and longest life of one that owes nothing.
  package var idleTimeout: Int64?
  /// For the whole request head, from its first byte.
  package var headerTimeout: Int64?
  /// From the last byte of the request, or the last 1xx, to the end of the next response head.
  package var responseTimeout: Int64?

  /// Whether connections to origins are shared by all clients, instead of belonging to the client connection that they were opened for.
  package var sharesConnections = false
  /// Whether messages that go to and from origins say in `Via` that they came through here. To another proxy it is said in any case.
  package var namesItself = false
  /// The name in `Via`, by which a request is known that has been here before.
  package let pseudonym = Pseudonym.unique()
  package var limits = HTTPLimits()
  package var bodies = BodyPolicy.all
  /// The most bytes kept per body.
  package var maxBody = 1 << 20
  /// Client connections at a time, over all loops. Beyond them, clients wait in the listeners' queues.
  package var maxConnections = 1024

  /// Who may use the proxy, and to reach which hosts.
  package var access = AccessPolicy()
  /// What others count, for `/metrics`, e.g. the recorder. Called on a loop: it does not wait.
  package var metrics: (@Sendable (inout PrometheusText) -> Void)?
  /// This machine's own name, under which the local pages answer too.
  package var hostName = ""

  /// What carries the exchanges in place of the network's transport, which it is given: called once per loop, on it.
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

package import TapelineHTTP
package import TapelineLoop
package import TapelineTLS
package import TapelineTransport

/// Everything that can be chosen about the proxy. Times are in nanoseconds, sizes in octets.
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
  /// Per address of the origin.
  package var connectTimeout: Int64 = 10_000_000_000
  /// Longest silence of a connection that owes something, and longest life of one that owes nothing.
  package var idleTimeout: Int64 = 60_000_000_000
  /// For the whole request head, from its first octet.
  package var headerTimeout: Int64 = 30_000_000_000
  /// From the last octet of the request, or the last 1xx, to the end of the next response head.
  package var responseTimeout: Int64 = 300_000_000_000
  package var limits = HTTPLimits()
  package var bodies = BodyPolicy.all
  /// The most octets kept per body.
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
  package var upstreamProxy: UpstreamProxy? {
    didSet { pseudonym = upstreamProxy == nil ? .common : .unique() }
  }
  /// Under which name the proxy stands in `Via`: another tapeline on the way is none of its business.
  package private(set) var pseudonym = Pseudonym.common

  /// Which TLS connections are decrypted; `nil`: none, so that every tunnel stays closed.
  package var interception: Interception?
  /// How origins are verified. Needed where `interception` is on.
  package var upstreamTLS: TLSClientContext?

  package init(listen: [SocketAddress]) {
    self.listen = listen
  }
}

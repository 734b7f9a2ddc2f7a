package import TapelineHTTP
package import TapelineLoop
package import TapelineTLS
package import TapelineBase
package import TapelineTime
package import TapelineTransport

/// Everything that can be chosen about the proxy. Sizes are in bytes.
package struct ProxyConfiguration: Sendable {
  /// The bodies that are kept in the record. All bodies are relayed whole.
  package enum BodyPolicy: String, CaseIterable, Sendable, Hashable {
    case none
    /// Bodies whose media type is text.
    case text
    case all
  }

  package var listen: [SocketAddress]
  /// Paths of local sockets on which the proxy listens as well.
  package var listenPaths: [String] = []
  /// Sockets that listen already, as another program has handed them over. Owned by the proxy from its start on.
  package var listenDescriptors: [Int32] = []
  /// Whether the user lets other machines in.
  package var allowsRemote = false
  /// Addresses that lead to one origin each.
  package var reverse: [ReverseListener] = []
  /// Event loops, each with its own thread and connections.
  package var threads = 1
  /// Whose clock takes the marks of bytes that come. With `.loop` the kernel is asked nothing about packets.
  package var clock = MonotonicInstant.Clock.wire

  // We set no time-outs of our own: `nil` means no limit, and the kernel finds out whether the peer is still alive.
  /// Per address of the origin.
  package var connectTimeout: Duration?
  /// Longest silence of a connection that owes something, and longest life of one that owes nothing.
  package var idleTimeout: Duration?
  /// For the whole request head, from its first byte.
  package var headerTimeout: Duration?
  /// From the last byte of the request, or the last 1xx, to the end of the next response head.
  package var responseTimeout: Duration?

  /// How clients hear of servers that fail.
  package var failures = FailurePolicy.page
  /// Whether all clients share the connections to origins. Otherwise each belongs to the client connection that it was opened
  /// for.
  package var sharesConnections = false
  /// Whether HTTP/2 is spoken, with clients and with origins, beside HTTP/1.1.
  package var speaksHTTP2 = true
  /// How long a client's handshake waits for the origin's, whose choice of a protocol the client is to be answered.
  package var protocolPatience = Duration.seconds(2)
  /// Whether messages to and from origins say in `Via` that they came through here. Messages to another proxy always do.
  package var namesItself = false
  /// Whether clients do not hear of other places of their origins, where we would not see them (`Alt-Svc`, RFC 7838).
  package var stripsAlternatives = false
  /// The name in `Via`, by which we recognise a request that has been here before.
  package let pseudonym = Pseudonym.unique()
  package var limits = HTTPLimits.standard
  package var bodies = BodyPolicy.all
  /// Whether the bodies of a POST to this target are kept even so, as the recorder writes no more than outlines.
  package var outlines: @Sendable (_ target: String) -> Bool = { _ in false }
  /// Whether requests for the proxy's own pages are recorded.
  package var recordsOwnPages = false
  /// The most bytes kept per body.
  package var maxBody = 1 << 20
  /// Client connections at a time, over all loops. Clients beyond them wait in the listeners' queues.
  package var maxConnections = 1024

  /// The rules for who may use the proxy and which hosts they may reach.
  package var access = AccessPolicy()
  /// Metrics of others for `/metrics`, such as the recorder's. Called on a loop: it does not wait.
  package var metrics: (@Sendable (inout PrometheusText) -> Void)?
  /// Absent if there is no live page.
  package var livePage: LivePageDoor?
  /// This machine's own name, under which the local pages answer too.
  package var hostName = ""

  /// Makes the transport that replaces the network's, which it is given. Called once per loop, on that loop.
  package var transport: (@Sendable (NetworkTransport) -> any ProxyTransport)?

  /// The rules at present for what is done to exchanges on purpose; `nil`: never any. From any loop.
  package var rules: (@Sendable () -> InjectionRules)?

  /// How origins are reached, if not directly.
  package var upstreamProxy: UpstreamProxy?

  /// Which TLS connections are decrypted; `nil`: none, so that every tunnel stays closed.
  package var interception: Interception?
  /// How origins are verified. Needed where `interception` is on.
  package var upstreamTLS: TLSClientContext?
  /// The certificates by which we are their clients, for origins that ask.
  package var clientCredentials = HostPatterns<TLSCredentials>([:])

  package init(listen: [SocketAddress]) {
    self.listen = listen
  }
}

/// The proxy's demands on a transport besides carrying tasks. Loop-bound.
package protocol ProxyTransport: Transport {
  /// Whether exchanges inside a tunnel use the connection that was made when the tunnel opened. If not, a task's
  /// `detach` returns none.
  var keepsConnections: Bool { get }
  /// The buffer into which each receive on any of the loop's TLS connections is decrypted.
  var plaintextBuffer: PlaintextBuffer { get }
  /// Closes idle connections. Busy connections end with their tasks.
  func shutdown()
}

extension NetworkTransport: ProxyTransport {
  package var keepsConnections: Bool { true }
}

extension ProxyConfiguration {
  /// Whether a body with these header fields is recorded, of a request or of its response.
  func keeps(_ fields: HeaderFields, of request: @autoclosure () -> RequestHead) -> Bool {
    switch bodies {
    case .none: request().method == .post && outlines(request().targetText)
    case .all: true
    case .text: fields.first(of: .contentType).map(Self.isText) ?? false
    }
  }

  /// Limits of the recorded messages of a WebSocket connection, in each direction.
  var webSocketLimits: WebSocketObserver.Limits {
    var limits = WebSocketObserver.Limits()
    limits.bytesPerText = bodies == .none ? 0 : maxBody
    limits.bytesPerBinary = bodies == .all ? maxBody : 0
    return limits
  }

  /// Whether a media type (RFC 9110 8.3.1) is for reading: `text/…`, JSON, XML, forms, scripts.
  static func isText(_ contentType: String) -> Bool {
    let mediaType = mediaType(in: contentType)
    if mediaType.hasPrefix("text/") || mediaType.hasSuffix("json") || mediaType.hasSuffix("+xml") { return true }
    return textTypes.contains(mediaType)
  }

  /// Whether a media type has no end of its own: events (`EventSource`), and pictures that replace each other (cameras).
  static func isStream(_ contentType: String) -> Bool {
    ["text/event-stream", "multipart/x-mixed-replace"].contains(mediaType(in: contentType))
  }

  /// The media type without parameters, in lower case.
  private static func mediaType(in contentType: String) -> String {
    contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
  }

  private static let textTypes: Set<String> = [
    "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript",
    "application/x-www-form-urlencoded", "application/graphql", "application/x-ndjson", "application/yaml", "application/toml",
  ]
}

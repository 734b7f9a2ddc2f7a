package import TapelineHTTP
package import TapelineSystem
package import TapelineTime

/// Everything that is known about one exchange, as a value. The proxy hands it to the recorder, in its `RecordDraft`.
///
/// It is handed over exactly once per exchange, on the exchange's loop, when both directions have ended or failed. Copies of the
/// log may have earlier copies of it, of an exchange in flight.
package struct ExchangeRecord: Sendable {
  /// Unique in this process, in order of arrival.
  package let id: UInt64
  package var kind: Kind
  /// Without an address if the process itself made the request (`Door.library`).
  package var client: Peer
  package var door = Door.proxy
  /// The code that the client's SOCKS request was answered with.
  package var socksReply: SOCKSReply?
  /// The lookup that led a program in a command's network here, if it made one.
  package var lookup: NameLookup?
  /// `nil` when the client's bytes were not a request.
  package var request: RequestHead?
  /// The origin that the request's target leaves out because its connection implies it; `nil` outside intercepted tunnels.
  package var implied: ImpliedOrigin?
  package var requestBody: BodyCapture
  package var requestTrailers: HeaderFields?
  /// The connection of the last attempt; `nil` when none was made.
  package var server: Peer?
  /// The 1xx responses that came first.
  package var informational: [ResponseHead] = []
  /// The origin's head as it came; `nil` when none came.
  package var response: ResponseHead?
  package var responseBody: BodyCapture
  package var responseTrailers: HeaderFields?
  /// How the request was forwarded in the last attempt; `nil` when it was not.
  package var requestForwarding: RequestForwarding?
  /// How the response was forwarded to the client; `nil` when it was not.
  package var responseForwarding: ResponseForwarding?
  /// The status of the proxy's own answer, sent because of `failure` or because the request was for the proxy.
  package var localStatus: Int?
  /// Whether the request was for a page of the proxy itself, which is no part of what a program did.
  package var isForProxy = false
  package var failure: Failure?
  /// The phase in which the client ended the exchange before it was complete, which it may do.
  package var endedByClient: Phase?
  /// The side that ended the request before it was complete, where the response was: the exchange has not failed.
  package var requestEndedBy: Side?
  /// The exchange's streams, if one of its sides speaks HTTP/2.
  package var http2: HTTP2Details?
  /// The messages of a gRPC call.
  package var grpc: GRPCDetails?
  /// Attempts on the wire: 2 when a dead reused connection was retried.
  package var attempts: Int = 0
  package var marks: TimelineMarks
  package var timeline: Timeline
  /// When the pieces of a streamed response body came, with their bytes; after a switch to WebSocket, the messages whose content
  /// is not kept, with what `WebSocketMessage.figure` tells.
  package var arrivals = ArrivalTimes()
  /// TLS between the client and us, where we decrypt.
  package var clientTLS: TLSDetails?
  /// TLS with the origin; for a tunnel, the parts of its handshake that were sent in clear.
  package var serverTLS: TLSDetails?
  /// The time spent on making a certificate for this exchange; `nil` when one existed already or was not needed.
  package var mintingNanoseconds: Int64?
  /// How long the exchange was held back, as the recorder could not keep up; `nil` if it was not.
  package var recorderWait: RecorderWait?
  /// For an exchange that switched protocols: the bytes that followed the 101.
  package var relayed: RelayedBytes?
  /// For an exchange that became a WebSocket connection: its messages, in the order in which they ended; bounded in number and in
  /// bytes. `arrivals` has the others.
  package var webSocketMessages: [WebSocketMessage] = []
  /// All messages that passed, kept or not.
  package var webSocketMessageCount: UInt64 = 0
  /// For a tunnel: why it was not read, if it was not.
  package var unread: UnreadReason?
  /// The deeds of rules of the user's, in their order.
  package var injections: [Injection] = []
  /// When this record was made, if its exchange was still in flight. It has everything up to then; its `timeline` has no meaning.
  package var inFlightAt: MonotonicInstant?
  /// A remark that is not a failure, e.g. that the host is passed through because the client refused our certificate.
  package var comment: String?

  /// One of the two that exchange messages.
  package enum Side: String, Sendable {
    case client
    case server
  }

  package enum Kind: Sendable {
    /// One request and its response.
    case exchange
    /// A CONNECT tunnel; bytes relayed in each direction.
    case tunnel(toServer: UInt64, toClient: UInt64)
  }

  /// One end of a connection, as the proxy sees it.
  package struct Peer: Sendable {
    /// Unique among the process's connections of both sides.
    package let connectionID: UInt64
    /// The numeric address, without brackets or port.
    package let address: String
    package let port: UInt16
    /// Whether an earlier exchange used this connection.
    package let isReused: Bool
    /// The upstream proxy that the connection goes through, as `host:port`: the address is then the proxy's.
    package let proxy: String?
    package var tcp: TCPStatistics?
    /// How the connection did during the exchange.
    package var tcpHistory: TCPHistory?

    package init(
      connectionID: UInt64, address: String, port: UInt16, isReused: Bool, proxy: String? = nil, tcp: TCPStatistics? = nil,
      tcpHistory: TCPHistory? = nil
    ) {
      self.connectionID = connectionID
      self.address = address
      self.port = port
      self.isReused = isReused
      self.proxy = proxy
      self.tcp = tcp
      self.tcpHistory = tcpHistory
    }

    /// Notes the connection at the end of the exchange.
    package mutating func note(_ history: TCPHistory?) {
      tcpHistory = history
      tcp = history?.end.statistics
    }
  }

  /// The time before an exchange began, in which its request was here.
  package struct RecorderWait: Sendable, Hashable {
    private let began: MonotonicInstant
    private var ended: MonotonicInstant?

    package init(from began: MonotonicInstant) {
      self.began = began
    }

    package var isOver: Bool { ended != nil }

    package mutating func end(at instant: MonotonicInstant) {
      ended = ended ?? instant
    }

    /// Its length, up to `now` if it lasts.
    package func nanoseconds(until now: MonotonicInstant?) -> Int64 {
      max(0, (ended ?? now ?? began).nanoseconds(since: began))
    }
  }

  /// Something that a rule of the user's did to the exchange.
  package struct Injection: Sendable {
    /// The rule's condition and its action, as they were written.
    package let query: String
    package private(set) var action: String
    /// The field that got a value, and the value, unless it is secret.
    package let field: HeaderField?
    package let instant: MonotonicInstant
    /// The time that it took.
    package var nanoseconds: Int64
    private var isDone = true

    package init(
      query: String, action: String, field: HeaderField? = nil, instant: MonotonicInstant, nanoseconds: Int64 = 0
    ) {
      self.query = query
      self.action = action
      self.field = field
      self.instant = instant
      self.nanoseconds = nanoseconds
    }

    /// The action was not done. The first reason counts.
    package mutating func note(_ obstacle: String) {
      guard isDone else { return }
      isDone = false
      action += " (not done: \(obstacle))"
    }
  }
}

extension ExchangeRecord {
  package init(
    id: UInt64, kind: Kind, client: Peer, request: RequestHead?, requestBody: BodyCapture, responseBody: BodyCapture,
    marks: TimelineMarks, timeline: Timeline
  ) {
    self.init(
      id: id, kind: kind, client: client, door: .proxy, request: request, requestBody: requestBody, responseBody: responseBody,
      marks: marks, timeline: timeline)
  }

  /// The response debug description of the exchange: `[Request]`, `[Response]`, `[Data]`, `[Result]` and `[Timeline]`, a line
  /// each.
  ///
  /// Status, bytes, outcome and times are the same as in the exchange's entry.
  package var responseDebugDescription: String {
    responseDebugText(
      request: request.map { URLRequest(head: $0, implied: implied) }, response: answer, byteCount: answerSize,
      result: resultText,
      timeline: timeline)
  }

  /// The origin's response; for an open tunnel, the proxy's own response that opened it.
  private var answer: HTTPURLResponse? {
    guard let request else { return nil }
    let head = response ?? openTunnel.map { ResponseHead(status: $0.status, reason: HTTPStatus.tunnelReasonPhrase) }
    return head.map { HTTPURLResponse(head: $0, request: request, implied: implied) }
  }

  package var isTunnel: Bool {
    switch kind {
    case .tunnel: true
    case .exchange: false
    }
  }

  private var answerSize: UInt64 { openTunnel?.toClient ?? responseBody.size }

  /// For an open tunnel: the status with which the proxy opened it, and the bytes that went to the client.
  package var openTunnel: (status: Int, toClient: UInt64)? {
    guard case .tunnel(_, let toClient) = kind, let localStatus, (200..<300).contains(localStatus) else { return nil }
    return (localStatus, toClient)
  }

  /// An exchange that the client ended is neither a failure nor a success.
  private var resultText: String {
    if let failure { return Result<String, FailureText>.failure(FailureText(failure: failure)).debugText }
    if let endedByClient { return "ENDED: by the client in \(endedByClient.rawValue), \(answerSize) bytes" }
    return Result<String, FailureText>.success("\(answerSize) bytes").debugText
  }
}

/// A recorded failure in place of the original error.
private struct FailureText: Error, CustomStringConvertible {
  let failure: ExchangeRecord.Failure

  var description: String {
    "\(failure.origin.rawValue) \(failure.kind.name) in \(failure.phase.rawValue): \(failure.message)"
  }
}

/// Why a tunnel was relayed without being read.
package enum UnreadReason: String, Sendable, Hashable, CaseIterable {
  /// The client refuses our certificate.
  case pinned
  /// The client refuses our certificate because it trusts authorities of its own: it was told which, or its alert says so.
  case ownAuthority = "own-authority"
  /// The client offers no protocol that tapeline decrypts.
  case h2Only = "h2-only"
  /// The server asks for a certificate that only the client has.
  case clientCertificate = "client-certificate"
  /// The client's hello allows no certificate that tapeline has.
  case unservedHello = "unserved-hello"
  /// The client's hello breaks the rules of TLS.
  case malformedHello = "malformed-hello"
  /// The tunnel carries neither TLS nor HTTP.
  case notTLS = "not-tls"
  /// The tunnel is a stream of an HTTP/2 connection, in which tapeline decrypts nothing.
  case streamTunnel = "stream-tunnel"
  /// Our own TLS with the server failed, and the client's did not.
  case serverTLSFailed = "server-tls-failed"
  /// The user wants this host left alone.
  case passedThrough = "passed-through"
  /// tapeline decrypts nothing.
  case notIntercepted = "not-intercepted"

  /// Whether the user asked for this, so that there is nothing to report.
  package var isAskedFor: Bool {
    switch self {
    case .passedThrough, .notIntercepted: true
    case .pinned, .ownAuthority, .h2Only, .clientCertificate, .unservedHello, .malformedHello, .notTLS, .streamTunnel,
      .serverTLSFailed:
      false
    }
  }
}

/// The bytes that passed on a connection that no longer carries messages.
package struct RelayedBytes: Sendable, Hashable {
  package var toServer: UInt64 = 0
  package var toClient: UInt64 = 0

  package init() {}
}

/// Where a message goes that is neither a request nor a response.
package enum MessageDirection: Sendable, Hashable {
  case toServer
  case toClient
}

/// One WebSocket message as it passed, put together from its frames and unmasked (RFC 6455 5).
package struct WebSocketMessage: Sendable {
  /// When its last byte came.
  package let instant: MonotonicInstant
  package let direction: MessageDirection
  /// The opcode of its first frame: 1 text, 2 binary, 8 close, 9 ping, 10 pong.
  package let opcode: UInt8
  /// Whether the payload, as received, is compressed by permessage-deflate (RFC 7692).
  package let isCompressed: Bool
  /// The first bytes of the payload, up to the capture limit.
  package let bytes: [UInt8]
  /// Bytes of the whole payload, as received.
  package let size: UInt64

  package init(
    instant: MonotonicInstant, direction: MessageDirection, opcode: UInt8, isCompressed: Bool, bytes: [UInt8], size: UInt64
  ) {
    self.instant = instant
    self.direction = direction
    self.opcode = opcode
    self.isCompressed = isCompressed
    self.bytes = bytes
    self.size = size
  }

  /// The figure that is kept of a message without content: its size, as far as 27 bits go, its opcode and its direction.
  package static func figure(size: UInt64, opcode: UInt8, _ direction: MessageDirection) -> Int {
    Int(min(size, 1 << 27 - 1)) << 5 | Int(opcode & 15) << 1 | (direction == .toServer ? 1 : 0)
  }
}

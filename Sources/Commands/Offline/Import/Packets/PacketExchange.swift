internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime
internal import TapelineTransport

/// One exchange as its packets show it.
struct PacketExchange {
  var marks = TimelineMarks()
  var request: RequestHead
  var requestBody: BodyCapture
  var requestTrailers: HeaderFields?
  var informational: [ResponseHead] = []
  var response: ResponseHead?
  var responseBody: BodyCapture
  var responseTrailers: HeaderFields?
  var requestEnded = false
  var responseEnded = false
  /// Bytes that passed after the exchange switched to another protocol.
  var relayed: RelayedBytes?
  var stream: StreamMetrics?
  var requestList: HTTP2HeaderList?
  var responseList: HTTP2HeaderList?
  var failure: ExchangeRecord.Failure?
  /// Whether it is the first on its connection, which paid for the connection.
  private let isFirst: Bool

  init(_ request: RequestHead, from first: MonotonicInstant, headEnd: MonotonicInstant, isFirst: Bool, bodyLimit: Int) {
    self.request = request
    self.isFirst = isFirst
    requestBody = BodyCapture(limit: bodyLimit)
    responseBody = BodyCapture(limit: bodyLimit)
    marks.stamp(.sentFirst, at: first)
    marks.stamp(.requestHeadEnd, at: first)
    marks.move(.sentLast, to: headEnd)
  }

  var isComplete: Bool { requestEnded && responseEnded || failure != nil }

  mutating func send(_ content: Span<UInt8>, at now: MonotonicInstant) {
    requestBody.append(content)
    marks.move(.sentLast, to: now)
  }

  mutating func answer(_ head: ResponseHead, from first: MonotonicInstant, headEnd: MonotonicInstant) {
    response = head
    marks.stamp(.responseFirstByte, at: first)
    marks.stamp(.responseHeadEnd, at: headEnd)
    marks.move(.responseLastByte, to: headEnd)
  }

  mutating func receive(_ content: Span<UInt8>, at now: MonotonicInstant) {
    responseBody.append(content)
    marks.move(.responseLastByte, to: now)
  }

  /// The exchange ends before it is complete. A server that has answered needs no more of the request.
  mutating func fail(_ reason: PacketFailure, at now: MonotonicInstant) {
    if responseEnded { requestEnded = true }
    guard failure == nil, !responseEnded else { return }
    let phase: ExchangeRecord.Phase = response != nil ? .receive : requestEnded ? .wait : .send
    failure = reason.failure(in: phase)
    marks.stamp(.failed, at: now)
  }

  /// The record, and what the connection adds to it.
  func imported(id: UInt64, on connection: PacketConnection.Facts) -> ImportedExchange {
    var marks = marks
    let start = isFirst ? connection.stamp(into: &marks) : marks[.sentFirst] ?? MonotonicInstant(nanoseconds: 0)
    var record = ExchangeRecord(
      observed: id, client: connection.client, request: request, requestBody: requestBody, responseBody: responseBody,
      marks: marks)
    record.requestTrailers = requestTrailers
    record.informational = informational
    record.response = response
    record.responseTrailers = responseTrailers
    record.server = connection.server(isReused: !isFirst)
    record.serverTLS = connection.tls
    if let relayed, request.method == .connect {
      record.kind = .tunnel(toServer: relayed.toServer, toClient: relayed.toClient)
    } else {
      record.relayed = relayed
    }
    record.failure = failure
    if connection.isSecure, case .origin = request.target {
      let authority = request.fields.first(of: .host) ?? connection.serverName
      record.implied = authority.map { ImpliedOrigin(scheme: .https, authority: $0) }
    } else if case .origin = request.target, !request.fields.contains(.host) {
      record.implied = ImpliedOrigin(scheme: .http, authority: connection.serverAuthority)
    }
    if let stream {
      record.http2 = HTTP2Details(clientStream: nil, stream: stream, request: requestList, response: responseList)
    }
    if isFirst {
      record.lookup = connection.lookup?.facts
      if !connection.sawHandshake { record.comment = "the capture begins within the connection, so its making is not known" }
    }
    var exchange = ImportedExchange(record: record, start: start)
    exchange.knowsClient = true
    exchange.knowsBlocked = isFirst && connection.sawHandshake
    return exchange
  }
}

/// Why an exchange ends before it is complete.
enum PacketFailure {
  /// The connection ended.
  case closed(byClient: Bool)
  case reset(byClient: Bool)
  /// The stream of HTTP/2 was reset.
  case streamReset(HTTP2ErrorCode, byClient: Bool)
  case malformed(String)
  case missingPackets
  case captureEnded

  func failure(in phase: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
    let (origin, kind, message): (ExchangeRecord.Failure.Origin, TransportError.Kind, String) =
      switch self {
      case .closed(let byClient): (Self.side(byClient), .closed, "the \(Self.name(byClient)) closed the connection")
      case .reset(let byClient): (Self.side(byClient), .reset, "the \(Self.name(byClient)) reset the connection")
      case .streamReset(let code, let byClient):
        (Self.side(byClient), .streamReset(code), "the \(Self.name(byClient)) reset the stream with \(code.name)")
      case .malformed(let message): (.upstream, .protocolViolation, message)
      case .missingPackets: (.local, .closed, "packets are missing in the capture")
      case .captureEnded: (.local, .closed, "the capture ends before the exchange")
      }
    return ExchangeRecord.Failure(origin: origin, phase: phase, kind: .transport(kind), message: message)
  }

  private static func side(_ isClient: Bool) -> ExchangeRecord.Failure.Origin { isClient ? .client : .upstream }

  private static func name(_ isClient: Bool) -> String { isClient ? "client" : "server" }
}

internal import TapelineCore
internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// A connection of curl's.
struct CurlConnection {
  let id: UInt64
  /// Curl's own number of it, if the trace has it.
  var number: Int?
  var host: String?
  var address: String?
  var port: UInt16 = 0
  var tls: TLSDetails.Facts?
  /// Where the tunnel through a proxy leads; `host` is then the proxy.
  var hasTunnel = false
}

/// One exchange in curl's trace, from its first remark on. A CONNECT that opened a tunnel is a part of the exchange that paid for
/// it.
final class CurlExchange {
  private let start: MonotonicInstant
  private let bodyLimit: Int
  private var marks = TimelineMarks()
  private var request: CurlMessage
  private var response: CurlMessage?
  private var failure: CurlFailure?
  private var stream: Int32?
  private var isReused = false
  private(set) var connection: CurlConnection?
  private var latest: MonotonicInstant

  init(at start: MonotonicInstant, bodyLimit: Int) {
    self.start = start
    self.bodyLimit = bodyLimit
    latest = start
    request = CurlMessage(request: bodyLimit)
    marks.stamp(.tunnelHeadEnd, at: start)
  }

  var hasRequest: Bool { marks[.sentFirst] != nil }

  /// Whether nothing is worth an entry: no request, and no failure.
  var isEmpty: Bool { !hasRequest && (failure == nil || failure?.isPassing == true) }

  /// Whether the final response has begun, so that another head of a request belongs to another exchange.
  var isAnswered: Bool { marks[.responseFirstByte] != nil }

  // MARK: Remarks

  func note(_ remark: CurlRemark, at now: MonotonicInstant, taking known: (CurlRemark) -> CurlConnection?) {
    latest = now
    switch remark {
    case .trying: marks.stamp(.connectStart, at: now)
    case .connected:
      if marks[.connectEnd] == nil { marks.stamp(.connectEnd, at: marks[.tlsStart] ?? now) }
      adopt(known(remark), isReused: false)
    case .reusing:
      adopt(known(remark), isReused: true)
    case .clientHello: if marks[.tlsEnd] == nil { marks.stamp(.tlsStart, at: now) }
    case .finished: if marks[.sentFirst] == nil, marks[.tlsStart] != nil { marks.move(.tlsEnd, to: now) }
    case .agreed(let version, let cipher):
      if marks[.tlsStart] != nil { marks.stamp(.tlsEnd, at: now) }
      changeTLS {
        $0.version = version
        $0.cipher = cipher
      }
    case .accepted(let name): changeTLS { $0.applicationProtocol = name }
    case .stream(let id): stream = id
    case .sent: if hasRequest { marks.move(.sentLast, to: now) }
    case .failed(let failure): if self.failure == nil || self.failure?.isPassing == true { self.failure = failure }
    case .resolved, .ended, .begins, .other: break
    }
    if case .clientHello = remark { changeTLS { _ in } }
  }

  private func adopt(_ known: CurlConnection?, isReused: Bool) {
    guard var known else { return }
    // Newer versions of curl tell of the connection after its TLS.
    if known.tls == nil { known.tls = connection?.tls }
    connection = known
    self.isReused = isReused
  }

  private func changeTLS(_ change: (inout TLSDetails.Facts) -> Void) {
    var known = connection ?? CurlConnection(id: 0)
    var facts = known.tls ?? TLSDetails.Facts()
    change(&facts)
    known.tls = facts
    connection = known
  }

  // MARK: Messages

  func sendHead(_ bytes: [UInt8], at now: MonotonicInstant) {
    latest = now
    marks.stamp(.sentFirst, at: now)
    marks.stamp(.requestHeadEnd, at: now)
    marks.move(.sentLast, to: now)
    request.takeHead(bytes)
  }

  func send(_ data: CurlData, at now: MonotonicInstant) {
    guard hasRequest else { return }
    // `-v` writes the same line for data of TLS, which may come at any time.
    if case .bytes = data { marks.move(.sentLast, to: now) }
    latest = now
    request.take(data)
  }

  func receiveHead(_ bytes: [UInt8], at now: MonotonicInstant) {
    guard hasRequest else { return }
    latest = now
    if bytes.starts(with: "HTTP/".utf8), !Self.isInterim(bytes) { marks.stamp(.responseFirstByte, at: now) }
    if response == nil { response = CurlMessage(responseTo: request.request?.method ?? .get, bodyLimit: bodyLimit) }
    response?.takeHead(bytes)
    if let head = response?.response {
      marks.stamp(.responseHeadEnd, at: now)
      marks.move(.responseLastByte, to: now)
      if request.request?.method == .connect, HTTPStatus.isSuccessful(head.status) { openTunnel(at: now) }
    }
  }

  func receive(_ data: CurlData, at now: MonotonicInstant) {
    guard isAnswered else { return }
    if case .bytes = data { latest = now }
    // `-v` writes one line for all pieces that follow each other.
    marks.move(.responseLastByte, to: max(latest, now))
    response?.take(data)
  }

  /// A status line `HTTP/1.1 1xx` except 101.
  private static func isInterim(_ line: [UInt8]) -> Bool {
    guard let blank = line.firstIndex(of: Byte.space) else { return false }
    let status = line[(blank + 1)...].prefix(3)
    return status.first == UInt8(ascii: "1") && !status.elementsEqual("101".utf8)
  }

  /// The exchange with the proxy was a part of connecting.
  private func openTunnel(at now: MonotonicInstant) {
    var next = TimelineMarks()
    marks.forEach { mark, instant in
      if mark < .sentFirst, mark != .requestHeadEnd { next.stamp(mark, at: instant) }
    }
    if let asked = marks[.sentFirst] { next.stamp(.proxyConnectStart, at: asked) }
    next.stamp(.proxyConnectEnd, at: now)
    marks = next
    connection?.hasTunnel = true
    request = CurlMessage(request: bodyLimit)
    response = nil
  }

  // MARK: The end

  /// - Parameters:
  ///   - isWhole: whether curl itself says that the exchange has ended.
  ///   - detail: how much the trace shows of bodies.
  func finish(
    at now: MonotonicInstant?, id: UInt64, isWhole: Bool, detail: CurlDetail?
  ) -> (exchange: ImportedExchange, connection: CurlConnection?) {
    let showsBodies = detail != .heads
    let now = now ?? latest
    if showsBodies {
      if isWhole { endMessages() }
    } else {
      countUnseenBodies(isWhole: isWhole, endedAt: now)
    }
    var exchange = ImportedExchange(record: record(id: id), start: start, knowsBlocked: true)
    exchange.record.failure = failure(isWhole: isWhole, showsBodies: showsBodies)
    if exchange.record.failure != nil { exchange.record.marks.stamp(.failed, at: now) }
    if isReused { exchange.record.marks = exchange.record.marks.withoutConnecting }
    exchange.record.comment = comment(detail)
    exchange.knowsBlockSizes = false
    exchange.knowsRequestBody = showsBodies || request.announcedSize != nil
    exchange.knowsResponseBody = showsBodies || (isWhole && !hasFailed && response?.announcedSize != nil)
    return (exchange, connection)
  }

  private func endMessages() {
    request.end()
    response?.end()
  }

  /// A body that the trace does not show has the size that its head announces, if it passed as a whole.
  private func countUnseenBodies(isWhole: Bool, endedAt now: MonotonicInstant) {
    if request.request != nil { request.countUnseen() }
    guard isWhole, !hasFailed else { return }
    response?.countUnseen()
    if isAnswered { marks.move(.responseLastByte, to: max(now, latest)) }
  }

  private func record(id: UInt64) -> ExchangeRecord {
    var record = ExchangeRecord(
      observed: id, request: request.request, requestBody: request.body, responseBody: response?.body ?? BodyCapture(limit: 0),
      marks: marks)
    record.requestTrailers = request.trailers
    record.response = response?.response
    record.responseTrailers = response?.trailers
    record.informational = response?.informational ?? []
    if connection?.tls != nil, case .origin? = request.request?.target, let host = request.request?.fields.first(of: .host) {
      record.implied = ImpliedOrigin(scheme: .https, authority: host)
    }
    record.server = server
    if let facts = connection?.tls {
      var details = TLSDetails()
      details.facts = facts
      record.serverTLS = details
    }
    if request.isHTTP2 {
      let stream = stream.map { StreamMetrics(id: $0) }
      record.http2 = HTTP2Details(clientStream: nil, stream: stream, request: nil, response: nil)
    }
    return record
  }

  /// Whether a failure has ended the exchange, and not only an attempt to connect.
  private var hasFailed: Bool { failure.map { !$0.isPassing } ?? false }

  private var server: ExchangeRecord.Peer? {
    guard let connection, let address = connection.address else { return nil }
    let proxy = connection.hasTunnel ? connection.host.map { Authority.text(host: $0, port: connection.port) } : nil
    return ExchangeRecord.Peer(
      connectionID: connection.id, address: address, port: connection.port, isReused: isReused, proxy: proxy)
  }

  private func failure(isWhole: Bool, showsBodies: Bool) -> ExchangeRecord.Failure? {
    let isComplete = response?.response != nil && (showsBodies ? response?.isComplete == true : isWhole)
    if let failure, !isComplete || !failure.isPassing { return failure.failure(in: phase) }
    if let error = request.error {
      return ExchangeRecord.Failure(origin: .client, phase: .request, kind: .malformed(error.kind), message: error.message)
    }
    if let error = response?.error {
      let kind = ExchangeRecord.Failure.Kind.transport(error.kind == .truncatedBody ? .closed : .protocolViolation)
      return ExchangeRecord.Failure(origin: .upstream, phase: phase, kind: kind, message: error.message)
    }
    guard !isComplete else { return nil }
    let message = isWhole ? "the connection ended before the response" : "the trace ends before the exchange"
    return ExchangeRecord.Failure(origin: isWhole ? .upstream : .local, phase: phase, kind: .transport(.closed), message: message)
  }

  private var phase: ExchangeRecord.Phase {
    if isAnswered { return .receive }
    if hasRequest { return .wait }
    if marks[.tlsStart] != nil, marks[.tlsEnd] == nil { return .tls }
    return marks[.connectStart] == nil ? .dns : .connect
  }

  private func comment(_ detail: CurlDetail?) -> String? {
    guard request.request != nil else { return hasRequest ? nil : "curl sent no request, so the trace does not name the URL" }
    let size = request.body.size + (response?.body.size ?? 0)
    switch detail {
    case .ascii where size > 0:
      return "the bodies are those of --trace-ascii, with a dot for each byte that is not printable ASCII"
    case .heads where size > 0 || response?.hasUnseenData == true: return "curl -v does not show bodies"
    case .hexadecimal, .ascii, .heads, nil: return nil
    }
  }
}

extension TimelineMarks {
  /// The marks of an exchange on a connection that was there already.
  fileprivate var withoutConnecting: TimelineMarks {
    var rest = TimelineMarks()
    forEach { mark, instant in
      if !(TimelineMark.dnsStart ... .tlsEnd).contains(mark) { rest.stamp(mark, at: instant) }
    }
    return rest
  }
}

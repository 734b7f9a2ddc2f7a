internal import TapelineBase
package import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect

/// Makes the spans of the exchanges of one capture, in the order of the log.
///
/// An exchange is a CLIENT span with its phases as children. If it opened its connection, the connection's spans come with it.
package struct SpanMaker {
  /// The parts of an entry that are looked at.
  package static let parts: HAREntryParts = [.fields, .custom, .bodies]

  private var connections = ConnectionSpans()

  package init() {}

  /// - Parameters:
  ///   - number: the place of the entry in its log.
  ///   - page: the page of `pageref`; `nil` if the log has none.
  /// - Returns: the exchange first; empty for an exchange that has not ended, or whose date cannot be read.
  package mutating func spans(for entry: HAREntry, number: Int, page: SpanPage?) -> [TraceSpan] {
    guard !RecordedEnd.isOutstanding(for: entry), let start = unixNanoseconds(ofDate: entry.startedDateTime), start >= 0,
      start < Self.latest
    else { return [] }
    let identity = SpanIdentity(of: entry, in: page, number: number)
    let times = PhaseTimes(of: entry, startingAt: Int64(start))
    let connection = connections.context(of: entry, identity)
    var exchange = TraceSpan(entry, page, identity, times)
    exchange.links = [connection].compactMap(\.self)
    let phases = times.pieces.enumerated().map { index, piece in
      TraceSpan(
        piece.phase.name, SpanContext(trace: exchange.context.trace, span: SpanIdentity.part(index, of: identity.span)),
        in: identity.span, from: piece.start, to: piece.end)
    }
    return [exchange] + phases + (connection.map { ConnectionSpans.spans(openedBy: entry, as: $0, times) } ?? [])
  }

  /// The year 2200: later dates leave no room for durations.
  private static let latest = 7_258_118_400_000_000_000
}

extension TraceSpan {
  // Nanoseconds that are not of the total.
  static let clientTime = "tapeline.client.time"
  static let proxyTime = "tapeline.proxy.time"

  /// The exchange itself, by OpenTelemetry's stable conventions for HTTP clients.
  fileprivate init(_ entry: HAREntry, _ page: SpanPage?, _ identity: SpanIdentity, _ times: PhaseTimes) {
    let method = KnownMethod(entry.request.method)
    self.init(
      method.spanName, SpanContext(trace: identity.trace, span: identity.span), from: times.start, to: times.end)
    kind = .client
    join(applicationOf: entry)
    append("http.request.method", method.name)
    append("http.request.method_original", method.original)
    let url = RequestURL(entry.request.url)
    append("server.address", url?.host)
    append("server.port", url?.port)
    append("url.full", entry.request.url)
    append("http.response.status_code", entry.response.status > 0 ? entry.response.status : nil)
    append("network.protocol.version", RecordedVersion(entry)?.number.map { $0 >= 2 ? "\(Int($0))" : "\($0)" })
    appendPeer(of: entry)
    append("http.request.resend_count", entry.custom[.attempts]?.integer.flatMap { $0 > 1 ? $0 - 1 : nil })
    append("http.request.body.size", entry.request.bodySize > 0 ? entry.request.bodySize : nil)
    append("http.response.body.size", entry.response.bodySize >= 0 ? entry.response.bodySize : nil)
    append("tapeline.exchange.id", entry.custom[.exchangeID]?.integer)
    append("tapeline.page.id", page?.id)
    append("tapeline.page.title", page?.title)
    let apart = PhaseDurations(entry)
    append(Self.clientTime, milliseconds: apart[.client])
    append(Self.proxyTime, milliseconds: apart[.proxy])
    append("tapeline.ended.phase", RecordedEnd(entry)?.phase)
    describeCall(of: entry)
    describeStream(of: entry)
    describeOperation(of: entry)
    describeModelCall(of: entry)
    fail(entry)
  }

  /// A request that carried `traceparent` belongs to the application's trace, below the span that sent it.
  private mutating func join(applicationOf entry: HAREntry) {
    func field(_ name: String) -> String? {
      entry.request.headers.first { $0.name.isSameName(as: name) }?.value
    }
    guard let sender = field("traceparent").flatMap({ TraceParent($0) }), let parentID = UInt64(sender.parentID, radix: 16),
      let high = UInt64(sender.traceID.prefix(16), radix: 16), let low = UInt64(sender.traceID.suffix(16), radix: 16)
    else { return }
    context = SpanContext(trace: TraceID(high: high, low: low), span: context.span)
    parent = SpanID(parentID)
    hasRemoteParent = true
    traceState = field("tracestate") ?? ""
  }

  /// To a client, a status of 400 or more is an error, and so is any status of a gRPC call but OK.
  private mutating func fail(_ entry: HAREntry) {
    if let error = RecordedFailure(entry) {
      append("error.type", (error.operation?.callStatus == nil ? error.kind : CallStatus(entry)?.outcome) ?? "_OTHER")
      failure = error.operation == nil ? error.message : error.text
    } else if entry.response.status >= 400 {
      append("error.type", "\(entry.response.status)")
      failure = ""
    }
  }
}

/// A request's method as the conventions have it: others than these are `_OTHER`, so that there are few names of spans.
private struct KnownMethod {
  private static let names: Set = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]

  let name: String
  /// As it was sent, if it is not one of these.
  let original: String?

  init(_ method: String) {
    let isKnown = Self.names.contains(method)
    name = isKnown ? method : "_OTHER"
    original = isKnown ? nil : method
  }

  var spanName: String { original == nil ? name : "HTTP" }
}

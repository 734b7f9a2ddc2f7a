internal import TapelineBase
internal import TapelineHAR
internal import TapelineInspect

/// The connections of a capture as spans: which have been seen, and how they were opened.
///
/// The model is that of .NET's network traces: a connection belongs to no request, and requests are linked to it.
struct ConnectionSpans {
  private struct Connection {
    let context: SpanContext
    /// Whether the exchange that opened it has come.
    var isOpened: Bool
  }

  /// By the log's name of the connection. An exchange may come before the one that opened its connection (HTTP/2), and on another
  /// page: the first that comes decides about the identifiers.
  private var known: [String: Connection] = [:]
  /// Those that were known when `known` was full.
  private var older: [String: Connection] = [:]

  private static let limit = 32_768

  /// The connection that carried the exchange; `nil` if it had none.
  mutating func context(of entry: HAREntry, _ identity: SpanIdentity) -> SpanContext? {
    let isOpening = Self.isOpening(entry)
    let own = SpanContext(trace: identity.trace, span: SpanIdentity.part(-1, of: identity.span))
    guard let name = entry.custom[.connectionID]?.string ?? entry.connection else { return isOpening ? own : nil }
    var connection =
      known[name] ?? older[name]
      ?? Connection(
        context: SpanContext(trace: identity.trace, span: SpanIdentity.span(ofConnection: name, in: identity.trace)),
        isOpened: false)
    // Some programs write the server's port there: then this is another connection with the same name.
    if isOpening, connection.isOpened { connection = Connection(context: own, isOpened: true) }
    if isOpening { connection.isOpened = true }
    keep(connection, as: name)
    return connection.context
  }

  /// Connections in use stay known.
  private mutating func keep(_ connection: Connection, as name: String) {
    if known.count >= Self.limit {
      older = known
      known = [:]
    }
    known[name] = connection
  }

  /// Whether the exchange paid for its connection.
  private static func isOpening(_ entry: HAREntry) -> Bool {
    (entry.timings.dns ?? -1) >= 0 || (entry.timings.connect ?? -1) >= 0
  }

  /// The connection as a span, with a child for each step; empty if the exchange found it open.
  static func spans(openedBy entry: HAREntry, as context: SpanContext, _ times: PhaseTimes) -> [TraceSpan] {
    guard isOpening(entry) else { return [] }
    let steps = times.pieces.filter { [.dns, .connect, .ssl].contains($0.phase) }
    guard let first = steps.first, let last = steps.last else { return [] }
    let url = RequestURL(entry.request.url)
    let failure = RecordedFailure(entry)
    var setup = TraceSpan("HTTP connection_setup", context, from: first.start, to: last.end)
    setup.append("server.address", url?.host)
    setup.append("server.port", url?.port)
    setup.appendPeer(of: entry)
    setup.append("url.scheme", url?.scheme)
    setup.fail(failure, in: ["dns", "connect", "tls"])
    return [setup]
      + steps.enumerated().map { index, step in
        var span = TraceSpan(
          name(of: step), SpanContext(trace: context.trace, span: SpanIdentity.part(index, of: context.span)), in: context.span,
          from: step.start, to: step.end)
        describe(&span, step, entry, url, failure)
        return span
      }
  }

  private static func name(of step: PhaseTimes.Piece) -> String {
    switch step.phase {
    case .dns: "DNS lookup"
    case .connect: "socket connect"
    case _: "TLS handshake"
    }
  }

  private static func describe(
    _ span: inout TraceSpan, _ step: PhaseTimes.Piece, _ entry: HAREntry, _ url: RequestURL?, _ failure: RecordedFailure?
  ) {
    switch step.phase {
    case .dns:
      span.append("dns.question.name", url?.host)
      span.fail(failure, in: ["dns"])
    case .connect:
      span.appendPeer(of: entry)
      span.append("network.transport", "tcp")
      span.append("network.type", entry.serverIPAddress.map { $0.contains(":") ? "ipv6" : "ipv4" })
      span.fail(failure, in: ["connect"])
    case _:
      let tls = entry.custom[.tls]
      span.append("server.address", tls?["sni"]?.string ?? url?.host)
      span.append("tls.protocol.name", "tls")
      span.append("tls.protocol.version", tls?["version"]?.string.map { String($0.trimmingPrefix("TLSv")) })
      span.append("tls.cipher", tls?["cipher"]?.string)
      span.append("tls.resumed", tls?["resumed"]?.bool)
      span.fail(failure, in: ["tls"])
    }
  }
}

extension TraceSpan {
  mutating func appendPeer(of entry: HAREntry) {
    append("network.peer.address", entry.serverIPAddress.flatMap { $0.isEmpty ? nil : $0 })
    append("network.peer.port", entry.custom[.serverPort]?.integer)
  }

  /// Marks the span as failed, if the exchange failed in one of these phases of `_error`.
  fileprivate mutating func fail(_ failure: RecordedFailure?, in phases: [String]) {
    guard let failure, let phase = failure.phase, phases.contains(phase) else { return }
    append("error.type", failure.kind ?? "_OTHER")
    self.failure = failure.message
  }
}

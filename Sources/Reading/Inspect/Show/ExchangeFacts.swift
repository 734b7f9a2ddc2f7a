internal import TapelineHAR

/// The facts that a log has of an exchange besides its messages: one named fact per line.
struct ExchangeFacts {
  let entry: HAREntry
  let palette: Palette
  let clock: WallClock

  struct Fact {
    let name: String
    let text: String
    /// The style of the whole text.
    let style: TerminalStyle?
  }

  var all: [Fact] {
    let facts: [(name: String, text: String?)] = [
      ("started", clock.time(of: entry.startedDateTime)?.text ?? entry.startedDateTime.printable),
      ("page", page),
      ("status", status),
      ("versions", versions),
      ("operation", RequestOperation(entry)?.nameBesideURL?.printable),
      ("gRPC", RecordedCall(entry)?.text.printable),
      ("failure", RecordedFailure(entry)?.text.printable),
      ("tunnel", tunnel),
      ("end", RecordedFailure(entry) == nil ? RecordedEnd(entry)?.text.printable : nil),
      (
        "end",
        RecordedEnd.isOutstanding(for: entry) ? "none yet: in flight when the log was copied, all is as far as it had come" : nil
      ),
      ("server", server),
      ("through", upstreamProxy),
      ("stream", LoggedStream(entry)?.text),
      ("stalled", LoggedStream(entry)?.stallText),
      ("reset", LoggedStream(entry)?.resetText?.printable),
      ("GOAWAY", LoggedStream(entry)?.goAway?.printable),
      ("TLS", tls),
      ("TCP", tcp),
      ("limited", TransferLimit(entry)?.text.printable),
      ("waiting", ServerTime(entry)?.text.printable),
      ("trace", RecordedTrace(entry)?.text),
      ("request", request),
      ("response", response),
      ("proxy", overhead),
      ("note", note),
    ]
    return facts.compactMap { name, text in
      text.map { Fact(name: name, text: $0, style: name == "failure" || name == "reset" ? .red : nil) }
    }
  }

  /// With the id by which the log names it, where it has a title of its own.
  private var page: String? {
    guard let title = entry.pageTitle, let id = entry.pageref, title != id else { return entry.pageref?.printable }
    return "\(title) (\(id))".printable
  }

  private var status: String {
    let response = entry.response
    if response.status > 0 {
      let style = ExchangeCell.outcomeStyle(of: entry)
      let words = [String(response.status), response.statusText].filter { !$0.isEmpty }.joined(separator: " ")
      return palette.apply(style, to: words.printable) + " (\(response.httpVersion.printable))"
    }
    guard let local = entry.custom[.localStatus]?.integer else { return "none" }
    return "none from the server; the proxy answered \(local)"
  }

  /// The versions of both legs, if they differ and one of them is multiplexed.
  private var versions: String? {
    let client = RecordedVersion(entry.request.httpVersion)
    let server = LoggedStream(entry)?.id == nil ? RecordedVersion(entry.response.httpVersion) : RecordedVersion("HTTP/2")
    guard let one = client.number, let other = server.number, one != other, max(one, other) >= 2 else { return nil }
    return "\(client.name) from the client, \(server.name) to the server"
  }

  private var tunnel: String? {
    UnreadTunnel(entry).map { "not read: \($0.sentence)" }
  }

  private var server: String? {
    guard let address = entry.serverIPAddress, !address.isEmpty else { return nil }
    // In other programs' logs `connection` may be any text.
    let port = entry.custom[.serverPort]?.integer ?? entry.connection.flatMap { Int($0) }
    let host = address.contains(":") && address.first != "[" ? "[\(address)]" : address
    let reuse = (entry.timings.connect ?? -1) >= 0 ? "new connection" : "reused connection"
    return "\(host)\(port.map { ":\($0)" } ?? "") (\(reuse))".printable
  }

  private var upstreamProxy: String? {
    guard let proxy = entry.custom[.upstreamProxy], let address = proxy["address"]?.string else { return nil }
    let tunnel = proxy["tunnelTime"]?.double.map { ", a tunnel opened in \(DurationText.compact($0))" } ?? ""
    return "upstream proxy \(address)\(tunnel)".printable
  }

  private var tls: String? {
    guard let tls = entry.custom[.tls] else { return nil }
    var words = ["version", "cipher", "alpn"].compactMap { tls[$0]?.string }
    if tls["resumed"]?.bool == true { words.append("resumed") }
    if tls["unverified"]?.bool == true { words.append("certificate not verified") }
    return words.isEmpty ? nil : words.joined(separator: ", ").printable
  }

  private var tcp: String? {
    guard let tcp = entry.custom[.tcp]?["server"], let trip = tcp["rtt"]?.double else { return nil }
    let least = tcp["minRtt"]?.double.map { ", at least \(DurationText.compact($0))" } ?? ""
    let lost = tcp["retransmits"]?.integer.map { ", \($0) retransmitted" } ?? ""
    return "round trip \(DurationText.compact(trip))\(least)\(lost)"
  }

  private var request: String {
    let type = entry.request.postData.map { $0.mimeType.isEmpty ? "" : ", \($0.mimeType.printable)" } ?? ""
    let end = entry.request.custom[.endedBy]?.string.map { ", ended by the \($0.printable) before it was complete" } ?? ""
    return "head \(headSize(entry.request.headersSize, entry.request.custom)), body \(size(entry.request.bodySize))\(type)\(end)"
  }

  private var response: String? {
    let response = entry.response
    guard response.status > 0 else { return nil }
    let type = response.content.mimeType.isEmpty ? "" : ", \(response.content.mimeType.printable)"
    let decoded =
      response.content.size > 0 && response.content.size != response.bodySize ? " (\(size(response.content.size)) decoded)" : ""
    return "head \(headSize(response.headersSize, response.custom)), body \(size(response.bodySize))\(decoded)\(type)"
  }

  private var overhead: String? { ProxyTime(entry)?.text }

  private var note: String? {
    entry.comment.flatMap { $0.isEmpty ? nil : $0.printable }
  }

  /// In HTTP/2 that of the compressed header block.
  private func headSize(_ count: Int, _ custom: HARObject) -> String {
    guard count < 0, let wire = custom[.headersWire]?.integer else { return size(count) }
    return "\(size(wire)) compressed"
  }

  private func size(_ count: Int) -> String {
    count < 0 ? "unknown" : ByteCountText.long(count)
  }
}

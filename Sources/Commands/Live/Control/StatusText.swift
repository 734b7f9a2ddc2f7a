internal import TapelineInspect
internal import TapelineBase

/// A recording's status for people: three lines, the live page's address, one more if tunnels were not read, and one more if
/// clients are passed through.
package enum StatusText {
  private static let namedHosts = 5

  package static func lines(for status: RecordingStatus) -> [String] {
    let log = status.log
    let traffic = status.traffic
    let interception = status.interception == nil ? "HTTPS is tunnelled" : "HTTPS is intercepted"
    var recorded = [
      "recorded \(log.recorded)", "failed \(log.failed)", "in \(Count.text(log.files, "file"))",
      "now \(log.page)",
    ]
    if log.filtered > 0 { recorded.append("\(log.filtered) left out by --filter") }
    if log.withoutBodies > 0 { recorded.append("\(log.withoutBodies) without their bodies") }
    if log.notRecorded > 0 { recorded.append("\(log.notRecorded) not recorded") }
    if let queue = status.queue {
      if queue.exchanges > 0 {
        recorded.append(
          "\(queue.exchanges) waiting for the disk (\(ByteCountText.long(queue.bytes)) of \(ByteCountText.long(queue.limit)))")
      }
      if queue.waited > 0 { recorded.append("\(queue.waited) waited for the recorder") }
    }
    let name = status.name.map { " (\($0.printable))" } ?? ""
    let streams = traffic.streams > 0 ? " (\(Count.text(traffic.streams, "stream")))" : ""
    let endpoints = status.endpoints.joined(separator: " and ")
    var lines = [
      "\(status.title.printable): process \(status.processID)\(name), on \(endpoints), \(interception)",
      "in flight \(traffic.inFlight)\(streams), tunnels \(traffic.openTunnels), clients \(traffic.clients), begun \(traffic.begun)",
      "\(recorded.joined(separator: ", ")), \(log.file.printable) (\(ByteCountText.long(log.fileSize)))",
    ]
    if let livePage = status.livePage { lines.append("live at \(livePage.printable)") }
    if let unread = unread(status.unread) { lines.append(unread) }
    if !status.passedThrough.isEmpty {
      let clients = status.passedThrough.map { "\($0.client.printable) to \($0.host.printable)" }
      lines.append("passed through now: \(clients.joined(separator: ", ")) (tapeline passthrough)")
    }
    if let export = status.export { lines.append(spans(export)) }
    return lines
  }

  /// `spans sent 512, waiting 7, to http://localhost:4318/v1/traces`, and those that are lost.
  private static func spans(_ export: RecordingStatus.Export) -> String {
    var parts = ["spans sent \(export.sent)", "waiting \(export.queued)"]
    if export.dropped > 0 { parts.append("\(export.dropped) dropped") }
    if export.rejected > 0 { parts.append("\(export.rejected) rejected") }
    if export.leftOut > 0 { parts.append("\(Count.text(export.leftOut, "exchange")) left out") }
    return "\(parts.joined(separator: ", ")), to \(export.url.printable)"
      + (export.trouble.map { " (\($0.printable))" } ?? "")
  }

  /// `3 tunnels not read: api.example.com (pinned), …`
  private static func unread(_ unread: RecordingStatus.Unread) -> String? {
    guard unread.tunnels > 0 else { return nil }
    let hosts = unread.hosts.prefix(namedHosts).map { "\($0.name.printable) (\($0.reason.printable))" }
    let more = unread.hosts.count > namedHosts ? ["\(unread.hosts.count - namedHosts) more"] : []
    return "\(Count.text(unread.tunnels, "tunnel")) not read: \((hosts + more).joined(separator: ", "))"
  }
}

/// The clients that are passed through because they refused our certificate, for people.
package enum PassthroughText {
  /// - Parameter now: microseconds since 1970.
  package static func lines(for clients: [RecordingStatus.PassedThrough], at now: Int) -> [String] {
    let rows =
      [["host", "client", "why", "since", "expires"]]
      + clients.map { client in
        [
          client.host.printable, client.client.printable, client.why.printable, "\(age(from: client.since, to: now)) ago",
          "in \(age(from: now, to: client.expires))",
        ]
      }
    return TextTable.lines(rows)
  }

  private static func age(from earlier: Int, to later: Int) -> String {
    DurationText.compact(Double(max(0, later - earlier)) / 1_000)
  }
}

/// Lays out rows of as many cells, the first one as a heading.
enum TextTable {
  static func lines(_ rows: [[String]]) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].cellCount }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { $0 == row.count - 1 ? row[$0] : row[$0].padded(to: widths[$0]) }
      return cells.joined(separator: "  ")
    }
  }
}

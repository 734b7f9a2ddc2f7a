package import TapelineHAR

/// Exchanges as comma-separated values (RFC 4180): one line per exchange, with the figures and without headers and bodies.
package enum EntryTable {
  private static let columns: [(name: String, value: @Sendable (HAREntry) -> String)] = [
    ("startedDateTime", { $0.startedDateTime }),
    ("time", { number($0.time) }),
    ("method", { $0.request.method }),
    ("url", { $0.request.url }),
    ("httpVersion", { $0.response.httpVersion }),
    ("status", { String($0.response.status) }),
    ("statusText", { $0.response.statusText }),
    ("error", { RecordedFailure($0)?.text ?? "" }),
    ("ended", { RecordedEnd($0)?.phase ?? "" }),
    ("mimeType", { $0.response.content.mimeType }),
    ("requestHeadersSize", { size($0.request.headersSize) }),
    ("requestBodySize", { size($0.request.bodySize) }),
    ("responseHeadersSize", { size($0.response.headersSize) }),
    ("responseBodySize", { size($0.response.bodySize) }),
    ("contentSize", { size($0.response.content.size) }),
    ("client", { phase(PhaseDurations($0)[.client]) }),
    ("blocked", { phase(PhaseDurations($0)[.blocked]) }),
    ("dns", { phase($0.timings.dns) }),
    ("connect", { phase($0.timings.connect) }),
    ("ssl", { phase($0.timings.ssl) }),
    ("send", { phase($0.timings.send) }),
    ("wait", { phase($0.timings.wait) }),
    ("receive", { phase($0.timings.receive) }),
    ("serverIPAddress", { $0.serverIPAddress ?? "" }),
    ("connection", { $0.connection ?? "" }),
    ("pageref", { $0.pageref ?? "" }),
    ("comment", { $0.comment ?? "" }),
  ]

  /// The names of the columns.
  package static var heading: String {
    CSVLine.text(of: columns.map(\.name), [])
  }

  package static func line(for entry: HAREntry, _ style: CSVLine.Style) -> String {
    CSVLine.text(of: columns.map { $0.value(entry) }, style)
  }

  private static func number(_ value: Double) -> String {
    HARNumber(value).text
  }

  /// Empty for a phase that did not happen.
  private static func phase(_ value: Double?) -> String {
    value.flatMap { $0 >= 0 ? number($0) : nil } ?? ""
  }

  private static func size(_ value: Int) -> String {
    value >= 0 ? String(value) : ""
  }
}

internal import TapelineBase
package import TapelineHAR

/// Exchanges for programs: one record each, with the values of the chosen columns.
package enum ExchangeRecords {
  /// The names of the columns as a line of comma-separated values.
  package static func csvHeading(_ columns: ListColumns, _ style: CSVLine.Style) -> String {
    CSVLine.text(of: columns.columns.map(\.name), style)
  }

  /// A line of comma-separated values; a value that the log does not have is empty.
  package static func csv(_ entry: HAREntry, number: Int, columns: ListColumns, _ style: CSVLine.Style) -> String {
    CSVLine.text(of: columns.values(of: entry, number: number).map(\.plainText), style)
  }

  /// A JSON object in one line; a value that the log does not have is `null`, so that all objects have the same members.
  package static func json(_ entry: HAREntry, number: Int, columns: ListColumns) -> String {
    var object = HARObject()
    for (column, value) in zip(columns.columns, columns.values(of: entry, number: number)) {
      object.members.append(HARObject.Member(name: column.name, value: value.json))
    }
    return String(decoding: TerminalJSON.escaped(HARValue.object(object).json), as: UTF8.self)
  }
}

extension QueryValue {
  /// The value in JSON.
  var json: HARValue {
    switch self {
    case .absent: .null
    case .number(let value): .number(HARNumber(value))
    case .text(let text), .titled(let text, _), .numbered(let text, _): .string(text)
    case .flag(let value): .bool(value)
    case .object: [:]
    case .several(let values): .array(values.map(\.json))
    }
  }
}

/// Exchanges as comma-separated values (RFC 4180): one line per exchange, with the figures and without headers and bodies.
package enum EntryTable {
  private typealias Column = (name: String, value: @Sendable (HAREntry) -> String)

  private static let columns = messages + Phase.allCases.map(column(of:)) + places

  private static func column(of phase: Phase) -> Column { (phase.name, { milliseconds(PhaseDurations($0)[phase]) }) }

  private static let messages: [Column] = [
    ("startedDateTime", { $0.startedDateTime }),
    ("time", { milliseconds($0.duration) }),
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
  ]

  private static let places: [Column] = [
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

  /// Empty for a phase that did not happen.
  private static func milliseconds(_ value: Double?) -> String {
    value.map { HARNumber($0).text } ?? ""
  }

  private static func size(_ value: Int) -> String {
    value >= 0 ? String(value) : ""
  }
}

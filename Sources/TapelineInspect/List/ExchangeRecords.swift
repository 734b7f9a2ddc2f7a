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
    case .text(let text), .titled(let text, _): .string(text)
    case .flag(let value): .bool(value)
    case .object: [:]
    case .several(let values): .array(values.map(\.json))
    }
  }
}

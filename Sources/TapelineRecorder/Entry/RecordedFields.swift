internal import TapelineHAR
internal import TapelineHTTP

/// Field lines as the log has them: as they came, but for values in which secrets were replaced.
struct RecordedFields {
  let fields: HeaderFields
  /// In the order of the lines.
  private var changes: [Change] = []

  private struct Change {
    let line: Int
    var value: [UInt8]
    /// How many secrets it had.
    var count: Int
  }

  init(_ fields: HeaderFields) {
    self.fields = fields
  }

  /// The lines of changed values come in order.
  mutating func append(_ value: [UInt8], at line: Int, count: Int) {
    changes.append(Change(line: line, value: value, count: count))
  }

  /// How many secrets the value of a line had.
  func secretCount(at line: Int) -> Int {
    change(at: line).map { changes[$0].count } ?? 0
  }

  func withValue<Result>(at line: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    if let change = change(at: line) {
      let value = changes[change].value
      return body(value.span)
    }
    let bytes = fields.bytes
    return body(bytes.span.extracting(fields.valueRange(at: line)))
  }

  /// Looks for the secrets of the entry in every line.
  mutating func hideEchoes(by redactor: inout Redactor) {
    var result = RecordedFields(fields)
    for line in 0..<fields.count {
      // The host is in the URL as well, which without it would be none.
      let before = redactor.count
      let hidden = fields.knownName(at: line) == .host ? nil : withValue(at: line) { redactor.withoutEchoes($0) }
      let change = change(at: line)
      if let hidden {
        result.append(hidden, at: line, count: (change.map { changes[$0].count } ?? 0) + redactor.count - before)
      } else if let change {
        result.changes.append(changes[change])
      }
    }
    self = result
  }

  private func change(at line: Int) -> Int? {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].line < line { low = middle + 1 } else { high = middle }
    }
    return low < changes.count && changes[low].line == line ? low : nil
  }

  /// The lines by themselves.
  var headerFields: HeaderFields {
    guard !changes.isEmpty else { return fields }
    var result = HeaderFields()
    for line in 0..<fields.count {
      result.append(name: fields.name(at: line), value: withValue(at: line) { String(bytes: $0).withoutLineEnds })
    }
    return result
  }
}

extension String {
  /// Of a value that was put together anew, nothing may end the line.
  fileprivate var withoutLineEnds: String {
    guard utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else { return self }
    return String(unicodeScalars.map { $0.value == 0x0A || $0.value == 0x0D || $0.value == 0 ? " " : Character($0) })
  }
}

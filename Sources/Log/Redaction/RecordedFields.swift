package import TapelineHTTP

/// Field lines as the log has them: as they came, except for values in which secrets were replaced.
package struct RecordedFields {
  package let fields: HeaderFields
  /// In the order of the lines.
  private var changes: [Change] = []

  private struct Change {
    let line: Int
    var value: [UInt8]
    /// How many secrets the value had.
    var count: Int
  }

  package init(_ fields: HeaderFields) {
    self.fields = fields
  }

  /// Changed values must be appended in the order of their lines.
  mutating func append(_ value: [UInt8], at line: Int, count: Int) {
    changes.append(Change(line: line, value: value, count: count))
  }

  /// How many secrets the value of a line had.
  package func secretCount(at line: Int) -> Int {
    change(at: line).map { changes[$0].count } ?? 0
  }

  /// Every line of every entry passes through here.
  package func withValue<Result>(at line: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    if let change = change(at: line) {
      let value = changes[change].value
      return body(value.span)
    }
    let bytes = fields.bytes
    return body(bytes.span.extracting(fields.valueRange(at: line)))
  }

  /// Hides the secrets of the entry in every line. Answers whether any line had one.
  @discardableResult
  package mutating func hideEchoes(by redactor: inout Redactor) -> Bool {
    guard mayHaveEchoes(of: redactor) else { return false }
    var result = RecordedFields(fields)
    var hadAny = false
    for line in 0..<fields.count {
      // The host is also in the URL, which would be invalid without a host.
      let before = redactor.count
      let name = fields.knownName(at: line)
      // Whoever writes the name hides it.
      if name == .other, redactor.mayHaveEchoes(fields.bytes.span.extracting(fields.nameRange(at: line))) { hadAny = true }
      let hidden = name == .host ? nil : withValue(at: line) { redactor.withoutEchoes($0) }
      let change = change(at: line)
      if let hidden {
        hadAny = true
        result.append(hidden, at: line, count: (change.map { changes[$0].count } ?? 0) + redactor.count - before)
      } else if let change {
        result.changes.append(changes[change])
      }
    }
    self = result
    return hadAny
  }

  /// Searches all lines at once, names included: most heads have no echo.
  ///
  /// A line that was mended lies behind the head, so the lines are not always in the order of their bytes: then each is searched.
  private func mayHaveEchoes(of redactor: borrowing Redactor) -> Bool {
    let bytes = fields.bytes
    var start = 0
    for change in changes {
      let original = fields.valueRange(at: change.line)
      guard original.lowerBound >= start else { return true }
      if redactor.mayHaveEchoes(bytes.span.extracting(start..<original.lowerBound)) { return true }
      if redactor.mayHaveEchoes(change.value.span) { return true }
      start = original.upperBound
    }
    return redactor.mayHaveEchoes(bytes.span.extracting(start..<bytes.count))
  }

  func change(at line: Int) -> Int? {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].line < line { low = middle + 1 } else { high = middle }
    }
    return low < changes.count && changes[low].line == line ? low : nil
  }

  /// The lines as fields, with the changed values.
  package var headerFields: HeaderFields {
    guard !changes.isEmpty else { return fields }
    var result = HeaderFields()
    for line in 0..<fields.count {
      result.append(name: fields.name(at: line), value: withValue(at: line) { String(bytes: $0).withoutLineEnds })
    }
    return result
  }
}

extension String {
  /// A rebuilt value must not contain a line end.
  fileprivate var withoutLineEnds: String {
    guard utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else { return self }
    return String(unicodeScalars.map { $0.value == 0x0A || $0.value == 0x0D || $0.value == 0 ? " " : Character($0) })
  }
}

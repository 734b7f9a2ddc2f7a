internal import TapelineHAR

/// The text of one cell in a table of exchanges, for people.
enum ExchangeCell {
  /// - Parameters:
  ///   - clock: the clock for a start time; its day and its offset from UTC are shown elsewhere.
  ///   - precise: whether there is room for the milliseconds of a start.
  static func text(of field: QueryField, in entry: HAREntry, number: Int, clock: WallClock, precise: Bool) -> String {
    switch field.source {
    case .known(.start): clock.time(of: entry.startedDateTime).map { String($0.time.prefix(precise ? 12 : 8)) } ?? "-"
    // A rule of the user's had a part in it.
    case .known(.status): (entry.injections.isEmpty ? "" : "~") + ExchangeOutcome(entry).text
    case .known(.responseSize): ByteCountText.compact(received(of: entry))
    case .known, .named, .custom, .member, .serverTime: text(of: field.value(in: entry, number: number), kind: field.kind)
    }
  }

  static func style(of field: QueryField, in entry: HAREntry) -> TerminalStyle {
    switch field.source {
    case .known(.number): .dim
    case .known(.total): .bold
    case .known(.status): outcomeStyle(of: entry)
    case .known(.error), .known(.errorKind), .known(.errorOrigin), .known(.errorPhase), .known(.reset): .red
    case .known, .named, .custom, .member, .serverTime: .plain
    }
  }

  private static func text(of value: QueryValue, kind: QueryField.Kind) -> String {
    switch (value, kind) {
    case (.absent, _): "-"
    case (.number(let milliseconds), .number(.duration)): DurationText.compact(milliseconds)
    case (.number(let count), .number(.size)): ByteCountText.compact(Int(exactly: count.rounded()))
    case (.number, _), (.text, _), (.titled, _), (.numbered, _), (.flag, _), (.object, _), (.several, _):
      value.plainText.isEmpty ? "-" : value.plainText.printable
    }
  }

  static func outcomeStyle(of entry: HAREntry) -> TerminalStyle {
    guard RecordedFailure(entry) == nil else { return .red }
    return switch entry.response.status {
    case 500...: .red
    case 400...499: .yellow
    case 300...399: .cyan
    case 200...299: .green
    default: .plain
    }
  }

  /// The size on the wire, else the size of the decoded body.
  private static func received(of entry: HAREntry) -> Int? {
    if entry.response.bodySize >= 0 { return entry.response.bodySize }
    return entry.response.content.size > 0 ? entry.response.content.size : nil
  }
}

internal import TapelineHAR

/// The critical paths of the exchanges in a report: found while the survey and the writer read the capture, so that it is not
/// read again.
///
/// The first exchanges of a capture count, up to a limit: what is known of each stays in memory until the last is written.
struct ReportCriticalPath: Sendable {
  private var search = CriticalPathSearch()
  private var count = 0

  /// The most exchanges that count.
  static let limit = 50_000
  /// Bytes of a body's text in which addresses are looked for, if bodies are cut and the rest is not read.
  static let leastBody = 64 << 10
  /// Bytes that an exchange needs in the page, about.
  static let rowSize = 56

  mutating func add(_ page: HARPage) {
    search.add(page)
  }

  /// Takes an exchange of the survey.
  mutating func add(_ entry: HAREntry, number: Int) {
    guard count < Self.limit else { return }
    count += 1
    search.add(entry, number: number)
  }

  /// Ends the survey.
  mutating func close() {
    _ = search.select(page: nil)
  }

  /// Takes an exchange of the writer.
  ///
  /// - Parameter limit: the number of bytes of a body's text that were read for certain; `nil` for all.
  mutating func readBody(of entry: HAREntry, number: Int, upTo limit: Int?) {
    search.readBody(of: entry, number: number, upTo: limit.map { $0 / 4 * 3 })
  }

  /// - Parameter exchangeCount: the number of exchanges in the capture.
  func append(to blocks: inout ReportBlocks, exchangeCount: Int) {
    let paths = search.paths
    var value: HARObject = [
      "pages": .array(paths.map(Self.value)), "reasons": .array(DependencyReason.allCases.map { .string($0.phrase) }),
    ]
    if exchangeCount > count { value["limit"] = .number(HARNumber(count)) }
    blocks.append(.object(value), id: "critical")
    blocks.append(critical: paths.lazy.flatMap(\.rows))
  }

  /// The page's figures; times in milliseconds.
  private static func value(of path: CriticalPath) -> HARValue {
    var value: HARObject = [
      "page": .string(path.page), "duration": .number(HARNumber(path.duration)),
      "client": .number(HARNumber(path.clientTime)),
      "paths": .array(path.paths.map { .array($0.map { .number(HARNumber(path.rows[$0].number)) }) }),
    ]
    if let row = path.costliest {
      value["costliest"] = .number(HARNumber(row.number))
      value["saving"] = .number(HARNumber(row.saving))
      value["isSure"] = .bool(row.isSure)
      if let rival = path.rival {
        value["rival"] = ["number": .number(HARNumber(rival.number)), "most": .number(HARNumber(rival.duration))]
      }
    }
    if let group = path.group {
      value["group"] = ["text": .string(group.text), "saving": .number(HARNumber(group.saving))]
    }
    if let remark = path.remark {
      value["remark"] = [
        "client": .number(HARNumber(remark.clientTime)), "next": .number(HARNumber(remark.next)),
        "ended": .number(HARNumber(remark.ended)), "pause": .number(HARNumber(remark.pause)),
      ]
    }
    return .object(value)
  }
}

extension JSONWriter {
  /// An array of the exchange's number, its slack (-1 if nobody waited for it), its saving and its client's time in milliseconds,
  /// whether they are sure (1 or 0), and its causes: number of the exchange, place of the reason, confidence in percent, and 1 if
  /// it held the exchange back to the last moment.
  mutating func append(critical row: CriticalPath.Row) {
    append(byte: UInt8(ascii: "["))
    append(integer: row.number)
    for time in [row.slack ?? -1, row.saving, row.clientTime] {
      append(byte: UInt8(ascii: ","))
      append(number: (time * 1_000).rounded() / 1_000)
    }
    append(json: row.isSure ? ",1,[" : ",0,[")
    for (place, cause) in row.causes.enumerated() {
      append(json: place == 0 ? "[" : ",[")
      append(integer: cause.number)
      append(byte: UInt8(ascii: ","))
      append(integer: DependencyReason.allCases.firstIndex(of: cause.reason) ?? 0)
      append(byte: UInt8(ascii: ","))
      append(integer: Int((cause.confidence * 100).rounded()))
      append(json: cause.isBinding ? ",1]" : ",0]")
    }
    append(json: "]]")
  }
}

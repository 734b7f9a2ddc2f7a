internal import TapelineBase
internal import TapelineHAR

/// The sum of a capture's calls, in sentences.
struct ModelSummary {
  private let rows: [HARObject]

  init(_ rows: [HARObject]) {
    self.rows = rows
  }

  func sentences(of view: ModelView) -> [String] {
    switch view {
    case .calls: calls
    case .turns: turns
    case .cache: cache
    }
  }

  private func sum(_ name: String) -> Double { rows.compactMap { $0[name]?.double }.reduce(0, +) }

  private var calls: [String] {
    let (input, cached) = (sum("in"), sum("cached"))
    let share = input > 0 ? " (\(MeasureText.trimmed(cached / input * 100, decimals: 0)) % cached)" : ""
    var parts = [
      "\(Count.text(rows.count, "call")): \(MeasureText.trimmed(input)) tokens in\(share), \(MeasureText.trimmed(sum("out"))) out",
      "\(DurationText.compact(sum("total"))) in calls",
    ]
    let firsts = rows.compactMap { $0["first"]?.double }.sorted()
    if !firsts.isEmpty {
      let percentiles = [50.0, 95].map { DurationText.compact(firsts[PercentileEstimator.rank($0, of: firsts.count)]) }
      parts.append("first content p50 \(percentiles[0]), p95 \(percentiles[1])")
    }
    let silent = rows.count { $0["out"] == nil }
    let remark = silent > 0 ? ["\(Count.text(silent, "call")) without counts of tokens by the server"] : []
    return [parts.joined(separator: "; ")] + remark
  }

  private var turns: [String] {
    let times = ["model", "tool", "network", "client"].map { ($0, sum("\($0).time")) }
    let whole = "\(Count.text(rows.count, "turn")): " + times.map { "\($0) \(DurationText.compact($1))" }.joined(separator: ", ")
    let costs = rows.flatMap { row in ["model", "tool"].map { (row, $0, row["\($0).time"]?.double ?? 0) } }
    guard let (row, part, time) = costs.max(by: { $0.2 < $1.2 }), time > 0 else { return [whole] }
    let tools = QueryValue(.object(row), at: ["tools"]).plainText
    let names = part == "tool" && !tools.isEmpty ? " (\(tools.printable))" : ""
    let number = QueryValue(.object(row), at: ["number"]).plainText
    return [whole, "longest: the \(part) time\(names) of call \(number), \(DurationText.compact(time))"]
  }

  private var cache: [String] {
    func count(_ prefix: String) -> Int { rows.count { $0["prefix"]?.string == prefix } }
    let expired = rows.count { $0["prefix"]?.string == "same" && $0["cached"]?.integer == 0 && $0["expired"]?.bool == true }
    let remark = expired > 0 ? ", of which \(expired) may have come too late" : ""
    return [
      "\(Count.text(rows.count, "call")): \(count("same")) went on with the prompt before\(remark); \(count("left")) left it"
    ]
  }
}

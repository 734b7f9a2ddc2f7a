extension Difference {
  /// Without the phases that took no time, which most logs have: rows of zeros say nothing.
  var notableTimes: [TimeChange] {
    let notable = Set(times.filter { max($0.before, $0.after) >= 0.005 }.map(\.part))
    return times.filter { $0.part == .total || notable.contains($0.part) }
  }

  /// Requests whose body sizes changed, those with the largest change in bytes first.
  var resized: [RequestDifference] {
    requests.filter(\.hasOtherSizes).sorted { left, right in
      (right.sizeWeight, left.after.firstNumber) < (left.sizeWeight, right.after.firstNumber)
    }
  }

  /// Remarks that a reader needs to understand the comparison.
  var remarks: [String] {
    var remarks: [String] = []
    if times.contains(where: { $0.interval == nil }) {
      let least = TimeChange.percents.map { "p\(MeasureText.trimmed($0)) \(PercentileBootstrap.minimumCount(percent: $0))" }
      remarks.append("too few: an interval needs more exchanges on both sides (\(least.joined(separator: ", ")))")
    }
    let sampled = max(before.exchanges, after.exchanges)
    if sampled > CaptureProfile.sampleLimit {
      remarks.append("percentiles are those of \(CaptureProfile.sampleLimit) exchanges drawn at random from each capture")
    }
    if before.overflow + after.overflow > 0 {
      remarks.append(
        "\(before.overflow + after.overflow) exchanges of requests beyond the first \(CaptureProfile.requestLimit) are not compared one by one"
      )
    }
    if uncomparedAnswers > 0 {
      remarks.append("of \(uncomparedAnswers) exchanges status and redirect vary too much to be compared one by one")
    }
    if uncomparedHeads > 0 {
      remarks.append(
        "of \(uncomparedHeads) exchanges the headers vary too much to be compared; --ignore-header leaves out the field that does"
      )
    }
    return remarks
  }
}

extension RequestDifference {
  fileprivate var sizeWeight: Double {
    let decoded = abs((after.decoded.mean ?? 0) - (before.decoded.mean ?? 0))
    let wire = abs((after.wire.mean ?? 0) - (before.wire.mean ?? 0))
    return max(decoded, wire) * Double(after.count)
  }

  /// `decoded 1.2 KiB → 5.6 KiB (+367 %), wire 500 B → 700 B (+40 %)`, only for the sizes that differ.
  var sizesText: String {
    [Self.text("decoded", before.decoded, after.decoded), Self.text("wire", before.wire, after.wire)].compactMap(\.self)
      .joined(separator: ", ")
  }

  private static func text(_ name: String, _ before: KnownSizes, _ after: KnownSizes) -> String? {
    guard before.mean != after.mean else { return nil }
    let share = before.mean.flatMap { old in after.mean.map { ChangeText.share(from: old, to: $0) } } ?? ""
    return "\(name) \(text(before.mean)) → \(text(after.mean))\(share)"
  }

  private static func text(_ mean: Double?) -> String {
    mean.map { ByteCountText.long(Int(saturating: $0.rounded())) } ?? "unknown"
  }
}

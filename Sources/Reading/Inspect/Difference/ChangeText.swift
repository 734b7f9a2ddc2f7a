/// Changes in the wording that all forms of a comparison share.
enum ChangeText {
  /// ` (+18 %)`, ` (×12)`; empty if there is no value before to compare with.
  static func share(from before: Double, to after: Double) -> String {
    guard before > 0, after != before else { return "" }
    return " (\(percent((after - before) / before * 100)))"
  }

  /// `+18 %`, `-0.4 %`; `×12` for growth too large to read as a percentage.
  static func percent(_ value: Double) -> String {
    let magnitude = abs(value)
    guard magnitude >= 0.05 else { return "0 %" }
    // Nothing can fall by more than 100 %.
    if value >= 1_000 { return "×" + (value < 1e8 ? fixed(1 + value / 100, decimals: 0) : "10⁶ and more") }
    return sign(value) + fixed(magnitude, decimals: magnitude < 9.95 ? 1 : 0) + " %"
  }

  /// `+1.10ms`
  static func duration(_ milliseconds: Double) -> String {
    sign(milliseconds) + DurationText.compact(abs(milliseconds))
  }

  /// `+1.10ms … +3.30ms`, or why there is no interval.
  static func interval(_ interval: ConfidenceInterval?) -> String {
    interval.map { "\(duration($0.lower)) … \(duration($0.upper))" } ?? "too few"
  }

  /// The target of a redirect.
  static func target(_ text: String) -> String {
    text.isEmpty ? "no redirect" : text.printable
  }

  private static func sign(_ value: Double) -> String {
    value < 0 ? "-" : "+"
  }
}

extension TimeChange {
  /// `total p95 50.0ms → 61.0ms (+22 %, 95 % interval +8.10ms … +14.0ms)`
  var sentence: String {
    let share = relative.map { ChangeText.percent($0) + ", " } ?? ""
    let certainty =
      interval.map { "95 % interval \(ChangeText.interval($0))" }
      ?? "of \(min(beforeCount, afterCount)) exchanges, too few to be sure"
    return "\(label) \(figures) (\(share)\(certainty))"
  }

  /// `total p95`
  var label: String { "\(part.name) p\(MeasureText.trimmed(percent))" }

  /// `50.0ms → 61.0ms`
  var figures: String { "\(DurationText.compact(before)) → \(DurationText.compact(after))" }
}

extension RequestName {
  /// `POST https://api.test/graphql [Orders]`
  package var text: String { "\(method) \(url)\(operation.isEmpty ? "" : " [\(operation)]")".printable }
}

extension HeaderChange {
  /// `nginx/1.22 → nginx/1.24`, `added: HIT`, `removed: HIT`, in about `width` cells.
  func valuesText(width: Int = 120) -> String {
    let rest = varies ? ", and others" : ""
    let room = width - rest.count
    let text: String
    switch (before?.printable, after?.printable) {
    case (let before?, let after?):
      let half = max(8, (room - 3) / 2)
      let start = before.count <= half && after.count <= half ? 0 : Self.sharedStart(before, after)
      text = [before, after].map { ((start > 0 ? "…" : "") + $0.dropFirst(start)).elided(to: half) }.joined(separator: " → ")
    case (nil, let after?): text = "added: " + after.elided(to: max(8, room - 7))
    case (let before?, nil): text = "removed: " + before.elided(to: max(8, room - 9))
    case (nil, nil): text = ""
    }
    return text + rest
  }

  /// How many leading characters of long values can be hidden because both share them; a few of them stay.
  private static func sharedStart(_ left: String, _ right: String) -> Int {
    let shared = zip(left, right).prefix { $0 == $1 }.count
    return shared > 12 ? shared - 4 : 0
  }
}

extension RequestProfile {
  /// `200 ×2, 503 ×1`
  var outcomesText: String {
    rankedOutcomes.map { "\($0.outcome.text) ×\($0.count)" }.joined(separator: ", ")
  }
}

extension Palette {
  /// Lines for a terminal that may support only ASCII.
  func signs(in lines: [String]) -> [String] {
    isUnicode ? lines : lines.map { $0.replacing("→", with: "->").replacing("×", with: "x").replacing("…", with: "..") }
  }
}

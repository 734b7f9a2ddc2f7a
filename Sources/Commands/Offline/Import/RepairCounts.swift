internal import TapelineHAR
internal import TapelineBase

/// How often each rule was broken, where first, and what is left of it.
struct RepairCounts {
  private struct Rule: Hashable {
    let name: String
    let isRepaired: Bool
  }

  private struct Broken {
    var count = 0
    let first: String
    let message: String
  }

  private var rules: [Rule: Broken] = [:]
  /// Damage that could not be repaired, by the number of its entry in the input, from 0.
  private var remarks: [Int: String] = [:]
  /// The entries of the input that are none, and are left out.
  private var dropped: [Int] = []

  private static let remarkLimit = 10_000

  /// How many values were repaired.
  var total: Int { rules.reduce(0) { $0 + ($1.key.isRepaired ? $1.value.count : 0) } }

  mutating func add(_ finding: HARFinding) {
    let entry = finding.path.entry
    if let (index, isWhole) = entry {
      if isWhole, [.wrongType, .null, .notJSON].contains(finding.rule) { dropped.append(index) }
      if !finding.isFixable, remarks.count < Self.remarkLimit { remarks[index] = "not repaired: \(finding.message)" }
    }
    add(finding.rule.rawValue, at: "\(finding.path)", finding.message, isRepaired: finding.isFixable)
  }

  /// Counts a repair that is not among the rules of a HAR.
  mutating func add(_ rule: String, at place: String, _ message: String, isRepaired: Bool = true) {
    let rule = Rule(name: rule, isRepaired: isRepaired)
    var broken = rules[rule] ?? Broken(first: place, message: message)
    broken.count += 1
    rules[rule] = broken
  }

  /// - Parameter number: of the entry in the output, from 0.
  func remark(onEntry number: Int) -> String? {
    guard !remarks.isEmpty else { return nil }
    var index = number
    for place in dropped where place <= index { index += 1 }
    return remarks[index]
  }

  /// A line for each rule.
  var lines: [String] {
    rules.sorted { ($0.key.name, $0.value.first) < ($1.key.name, $1.value.first) }.map { rule, broken in
      let times = Count.text(broken.count, "time")
      let what = rule.isRepaired ? "repaired" : "not repaired"
      return "\(rule.name): \(what) \(times), first at \(broken.first): \(broken.message)"
    }
  }
}

extension HARPath {
  /// The entry that the path leads into, and whether it is the entry itself.
  fileprivate var entry: (index: Int, isWhole: Bool)? {
    guard let rest = "\(self)".dropPrefix("$.log.entries["), let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end])
    else { return nil }
    return (index, rest.index(after: end) == rest.endIndex)
  }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}

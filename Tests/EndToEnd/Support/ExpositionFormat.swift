/// Metrics in the Prometheus text format 0.0.4, read strictly: what is wrong with a page is listed, not mended.
struct ExpositionFormat {
  struct Sample: Hashable {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  struct Family {
    let type: String
    var samples: [Sample] = []
  }

  private(set) var families: [String: Family] = [:]
  private(set) var violations: [String] = []
  /// The family that lines belong to, and its help.
  private var current: String?
  private var helped: Set<String> = []

  init(_ text: String) {
    if !text.hasSuffix("\n") { violations.append("the last line does not end") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("# HELP ") {
        readHelp(line.dropFirst(7))
      } else if line.hasPrefix("# TYPE ") {
        readType(line.dropFirst(7))
      } else {
        readSample(line)
      }
    }
    for (name, family) in families {
      if !helped.contains(name) { violations.append("\(name) has no HELP") }
      if family.type == "histogram" { checkHistogram(name, family) }
      if family.type == "counter", !name.hasSuffix("_total") { violations.append("the counter \(name) does not end in _total") }
    }
  }

  /// The only sample of that name whose labels have these values.
  func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    let family = families[name] ?? families.first { $0.value.type == "histogram" && name.hasPrefix("\($0.key)_") }?.value
    let matches = family?.samples.filter { sample in
      sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
    }
    return matches?.count == 1 ? matches?.first?.value : nil
  }

  /// Counters of `earlier` that are gone or have gone down.
  func regressions(since earlier: ExpositionFormat) -> [String] {
    earlier.families.filter { $0.value.type != "gauge" }.flatMap { name, family in
      family.samples.compactMap { before in
        let now = families[name]?.samples.first { $0.name == before.name && $0.labels == before.labels }
        return (now?.value ?? -1) >= before.value ? nil : "\(before)"
      }
    }
  }

  // MARK: Lines

  private mutating func readHelp(_ rest: Substring) {
    let words = rest.split(separator: " ", maxSplits: 1)
    guard words.count == 2, Self.isName(words[0]) else { return violations.append("HELP \(rest)") }
    if !helped.insert(String(words[0])).inserted { violations.append("a second HELP of \(words[0])") }
  }

  private mutating func readType(_ rest: Substring) {
    let words = rest.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, Self.isName(words[0]), ["counter", "gauge", "histogram"].contains(words[1]) else {
      return violations.append("TYPE \(rest)")
    }
    if families[String(words[0])] != nil { violations.append("a second TYPE of \(words[0]), or one behind its samples") }
    families[String(words[0])] = Family(type: String(words[1]))
    current = String(words[0])
  }

  private mutating func readSample(_ line: Substring) {
    guard let sample = Self.sample(in: line) else { return violations.append("no sample: \(line)") }
    guard let current, let family = families[current] else { return violations.append("a sample without TYPE: \(line)") }
    let names = family.type == "histogram" ? ["_bucket", "_sum", "_count"].map { current + $0 } : [current]
    guard names.contains(sample.name) else { return violations.append("\(sample.name) among samples of \(current)") }
    if family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) {
      violations.append("a second \(line)")
    }
    if family.type != "gauge", sample.value < 0 { violations.append("negative: \(line)") }
    families[current]?.samples.append(sample)
  }

  /// `name{label="value",…} number`
  private static func sample(in line: Substring) -> Sample? {
    guard let space = line.lastIndex(of: " "), let value = number(line[line.index(after: space)...]) else { return nil }
    let series = line[..<space]
    guard let brace = series.firstIndex(of: "{") else {
      return isName(series) ? Sample(name: String(series), labels: [:], value: value) : nil
    }
    guard isName(series[..<brace]), series.last == "}" else { return nil }
    var labels: [String: String] = [:]
    for pair in series[series.index(after: brace)...].dropLast().split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, isName(parts[0]), parts[1].count >= 2, parts[1].first == "\"", parts[1].last == "\"" else {
        return nil
      }
      let text = parts[1].dropFirst().dropLast()
      // No label of ours needs an escape or holds a comma.
      guard !text.contains(where: { $0 == "\"" || $0 == "\\" }), labels.updateValue(String(text), forKey: String(parts[0])) == nil
      else {
        return nil
      }
    }
    return Sample(name: String(series[..<brace]), labels: labels, value: value)
  }

  private static func number(_ text: Substring) -> Double? {
    text == "+Inf" ? .infinity : text.contains(where: \.isLetter) && !text.contains("e") ? nil : Double(text)
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.first?.isNumber == false
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "_"):
          true
        default:
          false
        }
      }
  }

  /// Bounds rise up to +Inf, counts do not fall, and the last one is the number of observations.
  private mutating func checkHistogram(_ name: String, _ family: Family) {
    let buckets = family.samples.filter { $0.name == "\(name)_bucket" }
    let bounds = buckets.map { Self.number($0.labels["le"].map { $0[...] } ?? "") ?? .nan }
    if bounds.last != .infinity || zip(bounds, bounds.dropFirst()).contains(where: { !($0 < $1) }) {
      violations.append("the bounds of \(name) do not rise to +Inf: \(bounds)")
    }
    if zip(buckets, buckets.dropFirst()).contains(where: { $0.value > $1.value }) {
      violations.append("\(name) is not cumulative")
    }
    guard let count = family.samples.first(where: { $0.name == "\(name)_count" }) else {
      return violations.append("no \(name)_count")
    }
    if buckets.last?.value != count.value { violations.append("the last bucket of \(name) is not its count") }
    if !family.samples.contains(where: { $0.name == "\(name)_sum" }) { violations.append("no \(name)_sum") }
  }
}

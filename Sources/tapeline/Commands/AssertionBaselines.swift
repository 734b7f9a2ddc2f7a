internal import TapelineHAR
internal import TapelineInspect

/// Reads the captures that rules compare with, each capture once.
enum AssertionBaselines {
  /// The baseline of each rule, in the order of the rules.
  ///
  /// - Parameters:
  ///   - capture: the capture to check. Standard input cannot be read twice.
  ///   - filter: the exchanges that count, in the baselines and in the capture.
  static func read(
    for rules: [Assertion], capture: String, filter: Query?
  ) throws(CommandFailure) -> [AssertionBaseline] {
    var baselines = rules.map { AssertionBaseline(for: $0) }
    for path in Set(rules.compactMap(path(of:))).sorted() {
      if path == "-", capture == "-" { try LogFile.requireFile(path) }
      let indices = rules.indices.filter { Self.path(of: rules[$0]) == path }
      let parts = indices.reduce(into: HAREntryParts.overview) { $0.formUnion(rules[$1].parts) }
      var source = try CaptureFile(path: path, parts: parts, filter: filter, bringsBodiesIn: parts.contains(.bodies))
      while let (number, entry) = try source.next() {
        for index in indices { baselines[index].add(entry, number: number) }
      }
    }
    return baselines
  }

  /// The path of a baseline in a file of rules is relative to that file: the two travel together.
  private static func path(of rule: Assertion) -> String? {
    guard let name = rule.baseline else { return nil }
    guard let file = rule.origin?.file, let slash = file.lastIndex(of: "/"), !name.hasPrefix("/"), name != "-" else {
      return name
    }
    return file[...slash] + name
  }
}

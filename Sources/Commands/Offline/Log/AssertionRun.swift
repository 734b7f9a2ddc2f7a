internal import TapelineHAR
package import TapelineInspect
internal import TapelineSystem

/// Rules, checked on a capture.
package struct AssertionRun {
  private let rules: [Assertion]
  private let blamed: Int

  /// - Parameter count: the most exchanges that are named for a failed rule.
  package init(of rules: [Assertion], naming count: Int) {
    self.rules = rules
    blamed = count
  }

  /// - Parameters:
  ///   - filter: the exchanges that count.
  ///   - required: the number of exchanges that there must be.
  ///   - byPage: whether the report is grouped by page.
  package func report(
    on file: String, filter: Query?, required: Int, byPage: Bool
  ) throws(CommandFailure) -> AssertionReport {
    let baselines = try AssertionBaselines.read(for: rules, capture: file, filter: filter)
    var checks = zip(rules, baselines).map { AssertionCheck($0, baseline: $1, filter: filter, naming: blamed) }
    let parts = rules.reduce(into: byPage ? HAREntryParts.pageTitle : .overview) { $0.formUnion($1.parts) }
    var pages = PageCensus()
    var source = try CaptureFile(path: file, parts: parts, filter: filter, bringsBodiesIn: parts.contains(.bodies))
    var found = 0
    while let (number, entry) = try source.next(onOther: { event in
      guard case .member(let member) = event else { return }
      for index in checks.indices { checks[index].add(member) }
    }) {
      found += 1
      pages.add(entry)
      for index in checks.indices { checks[index].add(entry, number: number) }
    }
    guard source.unreadable == 0 else {
      throw CommandFailure(
        status: .badInput, what: file, why: "the rules cannot be checked on all of it",
        remedy: "make a log without it by tapeline lint --fix")
    }
    let floor = AssertionFloor(found: found, required: required, isFiltered: filter != nil)
    return AssertionReport(file: file, results: checks.map(\.result), floor: floor, pages: pages)
  }

  private static let sizeLimit = 1 << 20

  /// The text of a file with rules.
  package static func text(ofRules path: String) throws(CommandFailure) -> String {
    do throws(SystemCallError) {
      return String(decoding: try WholeFile.read(path, limit: sizeLimit), as: UTF8.self)
    } catch {
      throw CommandFailure(
        status: .badInput, what: path, why: error.text, remedy: "name a file with a rule per line")
    }
  }
}

/// Reads the captures that rules compare with, each capture once.
private enum AssertionBaselines {
  /// The baseline of each rule, in the order of the rules.
  ///
  /// - Parameters:
  ///   - capture: the capture to check. Standard input cannot be read twice.
  ///   - filter: the exchanges that count, in the baselines and in the capture.
  static func read(
    for rules: [Assertion], capture: String, filter: Query?
  ) throws(CommandFailure) -> [AssertionBaseline] {
    var baselines = rules.map { AssertionBaseline(for: $0, filter: filter) }
    for path in Set(rules.compactMap(path(of:))).sorted() {
      if path == "-", capture == "-" { try LogFile.requireFile(path) }
      let indices = rules.indices.filter { Self.path(of: rules[$0]) == path }
      let parts = indices.reduce(into: HAREntryParts.overview) { $0.formUnion(rules[$1].parts) }
      var source = try CaptureFile(path: path, parts: parts, filter: filter, bringsBodiesIn: parts.contains(.bodies))
      while let (number, entry) = try source.next(onOther: { event in
        guard case .member(let member) = event else { return }
        for index in indices { baselines[index].add(member) }
      }) {
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

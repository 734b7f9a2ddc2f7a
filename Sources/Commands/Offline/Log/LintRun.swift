package import TapelineHAR
internal import TapelineInspect
internal import TapelineBase

/// The faults of a log for which readers would reject it: prints them, and writes a log without them.
package struct LintRun {
  private let path: String
  private let profiles: Set<HARProfile>
  private let printsJSON: Bool
  private let isQuiet: Bool

  /// - Parameters:
  ///   - profiles: the programs whose rules are checked, too.
  ///   - isQuiet: whether only findings are printed.
  package init(of path: String, profiles: Set<HARProfile>, printsJSON: Bool, isQuiet: Bool) {
    self.path = path
    self.profiles = profiles
    self.printsJSON = printsJSON
    self.isQuiet = isQuiet
  }

  /// Prints the findings.
  ///
  /// - Parameters:
  ///   - output: where to write a repaired log; `nil` to look only.
  ///   - replaces: whether `output` may exist.
  /// - Returns: whether the log, or the repaired log, has errors.
  package func run(repairingTo output: String?, replacing replaces: Bool) throws(CommandFailure) -> Bool {
    let source = try CaptureFile.source(path, for: output == nil ? .once : .again)
    var progress = PassProgress(of: "lint", passes: output == nil ? 1 : 2, isQuiet: isQuiet)
    defer { progress.end() }
    let lint = try look(at: source, &progress)
    if let output { try repair(source, lint, to: output, replacing: replaces, &progress) }
    progress.end()
    if !isQuiet { Console.say(Self.summary(path == "-" ? "standard input" : path, lint, isFixed: output != nil)) }
    return output == nil ? lint.errorCount > 0 : lint.unfixableCount > 0
  }

  /// The most bytes that are checked before their findings are printed: each may have several.
  private static let portion = 4 << 10

  private func look(at source: InputSource, _ progress: inout PassProgress) throws(CommandFailure) -> HARLint {
    var lint = HARLint(profiles: profiles)
    var output = StandardOutput()
    var findings: [HARFinding] = []
    var log = LogFile(source)
    do throws(CommandFailure) {
      while try log.read() {
        var place = 0
        while place < log.pieceSize {
          do throws(HARReadError) {
            try log.withPiece { (piece) throws(HARReadError) in
              let end = min(piece.count, place + Self.portion)
              try lint.feed(piece.extracting(place..<end)) { findings.append($0) }
              place = end
            }
          } catch {
            throw log.failure(error)
          }
          if !findings.isEmpty { progress.end() }
          try print(&findings, to: &output)
        }
        try log.checkPacking(of: lint.heldCount)
        progress.show(log.progress)
      }
      do throws(HARReadError) {
        try lint.finish { findings.append($0) }
      } catch {
        throw log.failure(error)
      }
    } catch {
      // The findings before the damage are a result too.
      try print(&findings, to: &output)
      try output.flush()
      throw error
    }
    if !findings.isEmpty { progress.end() }
    try print(&findings, to: &output)
    try output.flush()
    return lint
  }

  private func print(_ findings: inout [HARFinding], to output: inout StandardOutput) throws(CommandFailure) {
    for finding in findings {
      if printsJSON { try output.write(json: finding.json.json) } else { try output.write(line: Self.line(finding)) }
    }
    findings.removeAll(keepingCapacity: true)
  }

  private func repair(
    _ source: InputSource, _ lint: HARLint, to path: String, replacing replaces: Bool, _ progress: inout PassProgress
  ) throws(CommandFailure) {
    progress.beginPass()
    let target = try OutputFile(path: path, replacing: replaces)
    var repair = HARRepair(lint) { (piece) throws(CommandFailure) in try target.write(piece) }
    var log = LogFile(source)
    do throws(HARRepair<CommandFailure>.Interruption) {
      while try next(&log) {
        try log.withPiece { (piece) throws(HARRepair<CommandFailure>.Interruption) in try repair.feed(piece) }
        progress.show(log.progress)
      }
      try repair.finish()
    } catch {
      switch error {
      case .malformed(let error): throw log.failure(error)
      case .sink(let failure): throw failure
      }
    }
    try target.finish()
  }

  /// Reads on. A file that cannot be read ends the repair, as a full disk does.
  private func next(_ log: inout LogFile) throws(HARRepair<CommandFailure>.Interruption) -> Bool {
    do throws(CommandFailure) {
      return try log.read()
    } catch {
      throw .sink(error)
    }
  }

  package static func line(_ finding: HARFinding) -> String {
    let remark = finding.isFixable ? "" : " (not fixable)"
    return "\(finding.path): \(finding.severity.rawValue): \(finding.message)\(remark) [\(finding.rule.rawValue)]".printable
  }

  static func summary(_ file: String, _ lint: HARLint, isFixed: Bool) -> String {
    let entries = Count.text(lint.entryCount, "entry", "entries")
    guard lint.errorCount + lint.warningCount > 0 else { return "\(file): nothing wrong in \(entries)" }
    let errors = Count.text(lint.errorCount, "error")
    let warnings = Count.text(lint.warningCount, "warning")
    let found = "\(file): \(errors), \(warnings) in \(entries)"
    guard isFixed else { return found }
    return found + (lint.unfixableCount == 0 ? "; all repaired" : "; repaired but \(lint.unfixableCount)")
  }
}

internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem
internal import TapelineBase

/// Every whole entry of a damaged log, in a log of its own or in place of the damaged one.
package struct Recovery {
  private let file: String
  private let output: String?
  private let inPlace: Bool
  private let replaces: Bool

  /// - Parameters:
  ///   - output: the log to write; `nil` for a name made from that of the damaged log.
  ///   - inPlace: whether the recovered log replaces the damaged one, which gets another name.
  ///   - replaces: whether files may be overwritten.
  package init(of file: String, to output: String?, inPlace: Bool, replacing replaces: Bool) {
    self.file = file
    self.output = output
    self.inPlace = inPlace
    self.replaces = replaces
  }

  package func run() throws(CommandFailure) {
    let path = output ?? Self.recoveredName(file)
    let target = try OutputFile(path: path, replacing: replaces)
    let (outcome, log) = try recover(to: target)
    guard outcome.entries > 0 || outcome.damage == nil else {
      throw CommandFailure(
        status: .badInput, what: file, why: "no whole entry is in it", remedy: "there is nothing to be saved")
    }
    if inPlace, log.isCompressed {
      throw CommandFailure(
        status: .usage, what: file, why: "it is compressed, and the saved file is not", remedy: "say where to write with -o FILE")
    }
    if outcome.damage == nil, log.damage == nil, output == nil {
      // Nothing is wrong, so nobody needs a copy; the unfinished copy is dropped.
      Console.say("\(file): nothing is wrong with its \(Count.text(outcome.entries, "entry", "entries"))")
      return
    }
    try target.finish()
    if inPlace { try exchange(path) }
    Console.say(Self.summary(inPlace ? file : path, outcome, damage: log.damage))
  }

  private func recover(
    to target: OutputFile
  ) throws(CommandFailure) -> (HARRecovery<CommandFailure>.Outcome, (isCompressed: Bool, damage: String?)) {
    var recovery = HARRecovery { (piece) throws(CommandFailure) in try target.write(piece) }
    var log = LogFile(try CaptureFile.source(file), expecting: .damagedHAR)
    while try log.read() {
      try log.withPiece { (piece) throws(CommandFailure) in try recovery.feed(piece) }
      try log.checkPacking(of: recovery.heldCount)
    }
    return (try recovery.finish(), (log.isCompressed, log.damage))
  }

  /// A link and a rename: at every moment, the name is that of the damaged or the recovered log.
  private func exchange(_ recovered: String) throws(CommandFailure) {
    let backup = "\(file).damaged"
    if replaces { try makeWay(backup) }
    // A link fails if the name is taken; a rename would not.
    do throws(SystemCallError) {
      try SystemCalls.link(file, as: backup)
      try SystemCalls.rename(recovered, to: file)
      IndexFile.remove(beside: file)
    } catch {
      throw CommandFailure(status: .cannotCreate, what: file, why: error.text, remedy: "the recovered log is \(recovered)")
    }
  }

  /// Removes the file at `path`, if it is a file of ours.
  private func makeWay(_ path: String) throws(CommandFailure) {
    do throws(PrivateFileError) {
      try PrivateFile.checkReplaceable(path)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description, remedy: "move it away; the damaged log is as it was")
    }
    SystemCalls.removeIfPossible(path)
  }

  /// `a.har` and `a.har.gz` → `a.recovered.har`.
  static func recoveredName(_ path: String) -> String {
    let path = OutputFile.withoutCompression(path)
    let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let dot = path[nameStart...].dropFirst().lastIndex(of: ".") ?? path.endIndex
    return path[..<dot] + ".recovered" + (dot == path.endIndex ? ".har" : path[dot...])
  }

  static func summary(_ path: String, _ outcome: HARRecovery<CommandFailure>.Outcome, damage: String? = nil) -> String {
    var text = "\(path): \(Count.text(outcome.entries, "entry", "entries")) saved"
    if let damage { text += "; \(damage)" }
    if let damage = outcome.damage { text += "; \(damage)" }
    if outcome.lost > 0 { text += "; \(Count.text(outcome.lost, "byte belongs", "bytes belong")) to nothing whole" }
    if outcome.missingPages > 0 { text += "; \(Count.text(outcome.missingPages, "page")) made up" }
    return text
  }
}

internal import CTapeline
internal import Glibc
internal import TapelineFiles
internal import TapelineInspect

/// A file that a command makes, or standard output. Mode 0600, since logs hold what nobody else should see.
///
/// A file that holds anything is never touched; one that was not written to its end does not stay.
final class OutputFile {
  /// `nil` is standard output.
  private let path: String?
  private let descriptor: Int32
  private var isFinished = false

  /// What is written, for a terminal, which none of it may drive.
  enum Form {
    case json
    case lines
  }

  /// `nil` where no terminal sees it.
  private let shownForm: Form?

  /// Standard output.
  init(showing form: Form) {
    path = nil
    shownForm = Terminal.isTerminal ? form : nil
    descriptor = STDOUT_FILENO
  }

  /// Makes the file. An empty one may be there already: `mktemp` makes such.
  init(path: String) throws(CommandFailure) {
    self.path = path
    shownForm = nil
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: O_WRONLY, existing: .empty)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description, remedy: "choose another name with -o, or remove it")
    }
  }

  deinit {
    guard let path, !isFinished else { return }
    _ = tapeline_close(descriptor)
    _ = unsafe unlink(path)
  }

  func write(_ octets: Span<UInt8>) throws(CommandFailure) {
    let octets = unsafe octets.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    try check(writeAll(shown(octets), to: descriptor))
  }

  private func shown(_ octets: [UInt8]) -> [UInt8] {
    switch shownForm {
    case nil: octets
    case .json: TerminalJSON.escaped(octets)
    case .lines: Array(String(printableLinesOf: octets).utf8)
    }
  }

  /// Whoever writes says at the end that all is written: only then does the file stay.
  func finish() throws(CommandFailure) {
    guard path != nil else { return }
    try check(fsync(descriptor) == 0 ? 0 : errno)
    isFinished = true
    try check(-tapeline_close(descriptor))
  }

  private func check(_ cause: Int32) throws(CommandFailure) {
    guard cause != 0 else { return }
    throw CommandFailure(
      status: .writeFailed, what: path ?? "standard output", why: systemErrorText(cause),
      remedy: "free some space or choose another target")
  }
}

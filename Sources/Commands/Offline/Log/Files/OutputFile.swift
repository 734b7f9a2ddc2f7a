internal import TapelineInspect
internal import TapelineSystem
internal import TapelineBase

/// A file that a command makes, or standard output. Mode 0600, since logs hold data that nobody else should see.
///
/// Does not touch a file that holds anything, unless it is to be replaced: then the old file stays until the new one is whole.
/// An unfinished output does not stay.
package final class OutputFile {
  /// `nil` is standard output.
  private let path: String?
  /// `nil` for standard output, and once it is finished.
  private var draft: FileDraft?

  /// The kind of output, for a terminal, which the output must not drive.
  package enum Form {
    case json
    case lines
  }

  /// `nil` if the output does not go to a terminal.
  private let shownForm: Form?

  /// Standard output.
  package init(showing form: Form) {
    path = nil
    shownForm = Terminal.isTerminal ? form : nil
  }

  /// Makes the file. An empty file may exist already: `mktemp` makes one.
  ///
  /// - Parameter replaces: whether any file of ours may exist there, which is replaced at the end.
  package init(path: String, replacing replaces: Bool = false) throws(CommandFailure) {
    guard Self.withoutCompression(path) == path else {
      throw CommandFailure(
        status: .usage, what: path, why: "the name says compressed, and output never is",
        remedy: "name it \(Self.withoutCompression(path)), and compress it afterwards")
    }
    self.path = path
    shownForm = nil
    do throws(PrivateFileError) {
      if replaces {
        try PrivateFile.checkReplaceable(path)
        draft = try FileDraft(of: path)
      } else {
        draft = try FileDraft(inPlace: path)
      }
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description,
        remedy: error == .exists ? "choose another name with -o, or replace it with --force" : "choose another name with -o")
    }
  }

  package func write(_ bytes: Span<UInt8>) throws(CommandFailure) {
    do throws(SystemCallError) {
      if path == nil {
        try SystemCalls.writeAll(shown([UInt8](copying: bytes)).span, to: StandardStream.output)
      } else {
        try draft?.write(bytes)
      }
    } catch {
      throw failure(error)
    }
  }

  private func shown(_ bytes: [UInt8]) -> [UInt8] {
    switch shownForm {
    case nil: bytes
    case .json: TerminalJSON.escaped(bytes)
    case .lines: Array(String(printableLinesOf: bytes).utf8)
    }
  }

  /// A name without the suffix of a compressed file: `a.har.gz` → `a.har`.
  static func withoutCompression(_ path: String) -> String {
    for suffix in [".gz", ".zst"] where path.lowercased().hasSuffix(suffix) { return String(path.dropLast(suffix.count)) }
    return path
  }

  /// Call this when everything is written: only then does the file stay.
  package func finish() throws(CommandFailure) {
    guard let draft = draft.take() else { return }
    do throws(SystemCallError) {
      try draft.replace(durability: .all)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: SystemCallError) -> CommandFailure {
    CommandFailure(
      status: .writeFailed, what: path ?? "standard output", why: error.text, remedy: "free some space or choose another target")
  }
}

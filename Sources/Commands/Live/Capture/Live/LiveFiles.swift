internal import TapelineRecorder
internal import TapelineSystem

/// The files of the log across its rotations, and the numbers of their entries. Used on the live page's thread.
///
/// Numbers go from 1 on, across the files; the first is that of the file that was current when somebody first looked. A file that
/// somebody removes before it was opened keeps the numbers of its entries, of which none is there.
struct LiveFiles {
  /// The latest that there are.
  private var files: [LiveFile] = []
  /// Files of the capture before the latest that was seen.
  private var finishedCount = 0

  /// Descriptors that are held at most.
  static let most = 16

  var firstNumber: Int { files.first?.firstNumber ?? 1 }
  var nextNumber: Int { files.last?.nextNumber ?? 1 }

  /// Takes the state of the capture at a moment.
  mutating func follow(_ source: borrowing SnapshotSource) throws(SystemCallError) {
    if files.isEmpty {
      files = [try LiveFile(of: source.descriptor, firstNumber: 1)]
      finishedCount = source.finished.count
    }
    if finishedCount < source.finished.count { try rotate(source) }
    files[files.count - 1].grow(to: source.textEnd, entries: Int(source.entryCount))
  }

  /// The latest file that was seen was finished, and perhaps others after it.
  private mutating func rotate(_ source: borrowing SnapshotSource) throws(SystemCallError) {
    let finished = source.finished[finishedCount]
    files[files.count - 1].finish(at: finished.textEnd, entries: Int(finished.entryCount))
    var number = nextNumber
    var added: [LiveFile] = []
    for index in finishedCount + 1..<source.finished.count {
      let finished = source.finished[index]
      // Others would be closed at once.
      if source.finished.count - index < Self.most, let file = try Self.open(finished, firstNumber: number) { added.append(file) }
      number += Int(finished.entryCount)
    }
    added.append(try LiveFile(of: source.descriptor, firstNumber: number))
    files = (files + added).suffix(Self.most)
    finishedCount = source.finished.count
  }

  /// Opens a file by its name; `nil` if somebody has removed it.
  private static func open(_ finished: FinishedFile, firstNumber: Int) throws(SystemCallError) -> LiveFile? {
    do throws(SystemCallError) {
      let file = try LiveFile(path: finished.path, firstNumber: firstNumber)
      file.finish(at: finished.textEnd, entries: Int(finished.entryCount))
      return file
    } catch  where error.code == ErrorCode.notFound {
      return nil
    }
  }

  /// The entries that are there from `number` on, in the first file that has any; empty if there are none.
  func numbers(from number: Int) -> Range<Int> {
    guard let file = files.first(where: { $0.nextNumber > number }) else { return number..<number }
    return max(number, file.firstNumber)..<file.nextNumber
  }

  /// Lends the entry as JSON. Returns `nil` if it is not there.
  func withEntry<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let file = files.last(where: { $0.firstNumber <= number }) else { return nil }
    do throws(SystemCallError) {
      return try file.withEntry(number, body)
    } catch {
      return nil
    }
  }
}

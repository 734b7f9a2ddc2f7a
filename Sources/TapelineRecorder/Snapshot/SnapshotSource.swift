internal import TapelineSystem

/// All that a copy of the current file takes, at one moment: entries are never changed once they are written, so the copy can
/// be made while more of them come.
///
/// Made on the recorder's thread, used and freed on the thread of whoever asked.
struct SnapshotSource: ~Copyable {
  let path: String
  /// Owned: a descriptor of its own for reading through the page cache.
  let descriptor: Int32
  /// Where the entries end.
  let textEnd: Int
  /// Of the file.
  let entryCount: UInt64
  let tail: Tail

  /// What follows the file's entries in the copy.
  struct Tail {
    /// Entries that are in no file yet, as JSON, commas before and between.
    var entries: [UInt8] = []
    var entryCount = 0
    /// What closes the copy.
    var closing: [UInt8] = []

    var size: Int { entries.count + closing.count }
  }

  init(of path: String, descriptor: Int32, textEnd: Int, entryCount: UInt64, tail: Tail) throws(RecorderError) {
    // By its descriptor, since the file may have another name by now.
    do throws(SystemCallError) {
      self.descriptor = try SystemCalls.open("/proc/self/fd/\(descriptor)")
    } catch {
      throw .snapshotFailed(path: path, code: error.code)
    }
    self.path = path
    self.textEnd = textEnd
    self.entryCount = entryCount
    self.tail = tail
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Makes the copy under another name and gives it its own when it is whole.
  borrowing func copy(to target: String) throws(RecorderError) -> RecorderSnapshot {
    try refuseToReplaceSource(target)
    let draft = try draft(of: target)
    do throws(SystemCallError) {
      try copyText(to: draft.openDescriptor)
      try draft.write(tail.entries.span)
      try draft.write(tail.closing.span)
      try draft.replace()
    } catch {
      throw .snapshotFailed(path: target, code: error.code)
    }
    return RecorderSnapshot(
      source: path, size: textEnd + tail.size, entries: entryCount + UInt64(tail.entryCount), inFlight: tail.entryCount)
  }

  private borrowing func draft(of target: String) throws(RecorderError) -> FileDraft {
    do throws(PrivateFileError) {
      try PrivateFile.checkReplaceable(target)
      return try FileDraft(of: target)
    } catch {
      throw RecorderError(error, path: target)
    }
  }

  private borrowing func refuseToReplaceSource(_ target: String) throws(RecorderError) {
    do throws(SystemCallError) {
      let own = try SystemCalls.status(of: descriptor)
      guard let other = SystemCalls.statusIfPresent(of: target), own.isSameFile(as: other) else { return }
    } catch {
      return
    }
    throw .fileExists(path: target)
  }

  private borrowing func copyText(to output: Int32) throws(SystemCallError) {
    var piece = [UInt8](repeating: 0, count: min(max(textEnd, 1), 1 << 20))
    var offset = 0
    while offset < textEnd {
      let count = min(try SystemCalls.read(descriptor, at: offset, into: &piece), textEnd - offset)
      // The file ends before its text does.
      guard count > 0 else { throw SystemCallError(code: ErrorCode.inputOutput, call: .pread) }
      try SystemCalls.writeAll(piece.span.extracting(0..<count), to: output)
      offset += count
    }
  }
}

/// What a snapshot holds.
package struct RecorderSnapshot: Sendable, Hashable {
  /// The file that was copied.
  package let source: String
  /// Bytes.
  package let size: Int
  package let entries: UInt64
  /// Those of `entries` whose exchanges have not ended.
  package let inFlight: Int
}

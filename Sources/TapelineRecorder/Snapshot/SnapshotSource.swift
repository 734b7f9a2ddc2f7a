internal import Glibc
internal import TapelineFiles

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
    let own = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    guard own >= 0 else { throw .snapshotFailed(path: path, code: errno) }
    self.path = path
    self.descriptor = own
    self.textEnd = textEnd
    self.entryCount = entryCount
    self.tail = tail
  }

  deinit {
    _ = close(descriptor)
  }

  /// Makes the copy under another name and gives it its own when it is whole.
  borrowing func copy(to target: String) throws(RecorderError) -> RecorderSnapshot {
    try refuseToReplaceSource(target)
    let (temporary, output) = try draft(of: target)
    var code = copyText(to: output)
    if code == 0 { code = FileOutput.write(tail.entries.span, to: output) }
    if code == 0 { code = FileOutput.write(tail.closing.span, to: output) }
    _ = close(output)
    if code == 0, unsafe rename(temporary, target) != 0 { code = errno }
    guard code == 0 else {
      _ = unsafe unlink(temporary)
      throw .snapshotFailed(path: target, code: code)
    }
    return RecorderSnapshot(
      source: path, size: textEnd + tail.size, entries: entryCount + UInt64(tail.entryCount), inFlight: tail.entryCount)
  }

  private borrowing func draft(of target: String) throws(RecorderError) -> (path: String, descriptor: Int32) {
    do throws(PrivateFileError) {
      try PrivateFile.checkReplaceable(target)
      return try PrivateFile.draft(of: target)
    } catch {
      throw RecorderError(error, path: target)
    }
  }

  private borrowing func refuseToReplaceSource(_ target: String) throws(RecorderError) {
    var own = stat()
    var other = stat()
    guard unsafe fstat(descriptor, &own) == 0, unsafe stat(target, &other) == 0 else { return }
    if own.st_dev == other.st_dev, own.st_ino == other.st_ino { throw .fileExists(path: target) }
  }

  /// 0, or the error's code.
  private borrowing func copyText(to output: Int32) -> Int32 {
    var piece = [UInt8](repeating: 0, count: min(max(textEnd, 1), 1 << 20))
    var offset = 0
    while offset < textEnd {
      let wanted = min(piece.count, textEnd - offset)
      let count = unsafe piece.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, wanted, offset) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? EIO : errno }
      let code = FileOutput.write(piece.span.extracting(0..<count), to: output)
      guard code == 0 else { return code }
      offset += count
    }
    return 0
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

internal import Dispatch
internal import Synchronization
internal import TapelineSystem
internal import TapelineTime

/// Everything that a copy of the current file needs, at one moment: written entries never change, so the copy can be made, or the
/// file read, while more entries come.
///
/// Made on the recorder's thread, used and freed on the requesting thread.
package struct SnapshotSource: ~Copyable {
  package let path: String
  /// The files of the capture before this one.
  package let finished: [FinishedFile]
  /// Owned: a separate descriptor for reading through the page cache.
  package let descriptor: Int32
  /// The end of the entries.
  package let textEnd: Int
  /// Entries in the file.
  package let entryCount: UInt64
  package let tail: Tail

  /// The part of the copy after the file's entries.
  package struct Tail: Sendable {
    /// Entries that are not in a file yet, as JSON, commas before and between.
    package internal(set) var entries: [UInt8] = []
    /// Where each is in `entries`, and the exchange that it is of.
    package internal(set) var places: [(exchange: UInt64, range: Range<Int>)] = []
    /// The end of the copy, which closes the list of entries and begins with a line of its own.
    package internal(set) var closing: [UInt8] = []

    var entryCount: Int { places.count }
    var size: Int { entries.count + closing.count }
  }

  init(
    of path: String, after finished: [FinishedFile], descriptor: Int32, textEnd: Int, entryCount: UInt64, tail: Tail
  ) throws(RecorderError) {
    // Through its descriptor, because the file may have another name by now.
    do throws(SystemCallError) {
      self.descriptor = try SystemCalls.open("/proc/self/fd/\(descriptor)")
    } catch {
      throw .snapshotFailed(path: path, code: error.code)
    }
    self.path = path
    self.finished = finished
    self.textEnd = textEnd
    self.entryCount = entryCount
    self.tail = tail
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Makes the copy under another name and renames it when it is complete.
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

/// A file to which nothing is added any more.
package struct FinishedFile: Sendable, Hashable {
  package let path: String
  /// The end of the entries.
  package let textEnd: Int
  /// Entries in the file.
  package let entryCount: UInt64
}

/// The result of a snapshot.
package struct RecorderSnapshot: Sendable, Hashable {
  /// The file that was copied.
  package let source: String
  /// Size in bytes.
  package let size: Int
  package let entries: UInt64
  /// How many of `entries` are exchanges that have not ended.
  package let inFlight: Int
}

/// A request for the source of a copy; the requesting thread waits for it.
package final class SnapshotRequest: Sendable {
  private let answer = Mutex(Answer.none)
  private let isAnswered = DispatchSemaphore(value: 0)

  private enum Answer: ~Copyable {
    case none
    case source(SnapshotSource)
    case failure(RecorderError)
  }

  /// Called by the recorder's thread, once.
  func fulfil(_ make: () throws(RecorderError) -> SnapshotSource) {
    let new: Answer
    do throws(RecorderError) {
      new = .source(try make())
    } catch {
      new = .failure(error)
    }
    put(new)
  }

  private func put(_ new: consuming sending Answer) {
    var new = Optional(new)
    answer.withLock { answer in
      guard let value = new.take() else { preconditionFailure("the answer is there to be put") }
      answer = value
    }
    isAnswered.signal()
  }

  /// Called by the requesting thread, until it has the answer; `nil` if that has not come by then: the disk does not answer.
  package func answer(within patience: Duration) throws(RecorderError) -> SnapshotSource? {
    guard isAnswered.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds))) == .success else { return nil }
    return try takeAnswer()
  }

  /// Called by the requesting thread, once: waits for the answer.
  func wait() throws(RecorderError) -> SnapshotSource {
    isAnswered.wait()
    return try takeAnswer()
  }

  private func takeAnswer() throws(RecorderError) -> SnapshotSource {
    var taken: Answer = .none
    answer.withLock { swap(&$0, &taken) }
    switch consume taken {
    case .source(let source): return source
    case .failure(let error): throw error
    case .none: preconditionFailure("who answers a request gives a source or a reason")
    }
  }
}

internal import Dispatch
internal import Synchronization
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTransport

/// Writes a response body to its temporary file, in order, on its download's queue, so that the loop never waits for a disk.
///
/// The loop hands over pieces. This class counts the bytes that wait, and the loop pauses reading while there are too many.
final class DownloadFile: Sendable {
  /// How the file begins.
  enum Beginning: Sendable {
    /// A new file in this directory.
    case new(directory: String)
    /// The bytes after the first `offset` bytes of the part at `path`.
    case part(path: String, offset: UInt64)
  }

  /// The result of writing the file.
  struct Outcome: Sendable {
    /// `nil` when it could not even be made.
    let path: String?
    /// Bytes in it.
    let length: UInt64
    let failure: FileError?
  }

  /// The file while it is written; touched on `queue` only, where its lock is never contended.
  private struct Work: ~Copyable {
    var file: FileDescriptor?
    var path: String?
    var length: UInt64 = 0
    var failure: FileError?
  }

  let backlog: Backlog
  private let queue: DispatchQueue
  private let work = Mutex(Work())
  private let roomAgain: @Sendable () -> Void
  private let failed: @Sendable (FileError) -> Void

  /// - Parameters:
  ///   - queue: runs one thing at a time. The files of one download's attempts share it: what one leaves is gone before the next
  ///     is moved there.
  ///   - roomAgain: called on the queue when reading may go on.
  ///   - failed: called on the queue, once, when nothing more can be written.
  init(
    queue: DispatchQueue, limit: Int = Backlog.defaultLimit, roomAgain: @escaping @Sendable () -> Void,
    failed: @escaping @Sendable (FileError) -> Void
  ) {
    self.queue = queue
    backlog = Backlog(limit: limit)
    self.roomAgain = roomAgain
    self.failed = failed
  }

  deinit {
    work.withLock { work in work.file.take()?.discard() }
  }

  // MARK: On the loop

  func begin(_ beginning: Beginning) {
    queue.async { [self] in
      perform { work throws(FileError) in
        switch beginning {
        case .new(let directory):
          let path = TemporaryFile.path(in: directory, suffix: ResumeData.fileSuffix)
          work.file = try TemporaryFile.open(path)
          work.path = path
        case .part(let path, let offset):
          work.path = path
          let file = try FileCalls.open(path, [.writeOnly, .noFollow])
          do throws(FileError) {
            // Bytes that were written after the resume data was made are written again.
            try FileCalls.truncate(file, to: offset, path)
          } catch {
            file.discard()
            throw error
          }
          work.length = offset
          work.file = consume file
        }
      }
    }
  }

  /// Copies the bytes and returns whether to read on.
  func append(_ bytes: Span<UInt8>) -> Demand {
    var piece: [UInt8] = []
    piece.append(bytes: bytes)
    let demand = backlog.add(piece.count)
    queue.async { [self, piece] in
      perform { work throws(FileError) in
        guard let file = work.file.take() else { return }
        let result = Result { () throws(FileError) in try FileCalls.write(piece, to: file.rawValue, work.path ?? "") }
        work.file = consume file
        try result.get()
        work.length += UInt64(piece.count)
      }
      if backlog.remove(piece.count) { roomAgain() }
    }
    return demand
  }

  /// Closes the file once all is written, and calls `then` on the queue, where it may work with files.
  func finish(_ then: @escaping @Sendable (Outcome) -> Void) {
    queue.async { [self] in
      perform { work throws(FileError) in
        guard let file = work.file.take() else { return }
        try FileCalls.close(file, work.path ?? "")
      }
      then(work.withLock { Outcome(path: $0.path, length: $0.length, failure: $0.failure) })
    }
  }

  // MARK: On the queue

  /// Runs one step, unless an earlier one failed.
  private func perform(_ step: (inout Work) throws(FileError) -> Void) {
    let failure = work.withLock { work -> FileError? in
      guard work.failure == nil else { return nil }
      do throws(FileError) {
        try step(&work)
        return nil
      } catch {
        work.failure = error
        return error
      }
    }
    if let failure { failed(failure) }
  }
}

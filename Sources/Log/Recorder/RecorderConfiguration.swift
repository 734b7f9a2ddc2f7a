package import TapelineRedaction
package import TapelineSystem
package import TapelineTime

/// How a capture is recorded.
package struct RecorderConfiguration: Sendable {
  /// The HAR to make; it must not exist, unless `replacesFile` is true.
  package var path: String
  /// Whether a file at `path` may be overwritten. Files of rotations are never overwritten.
  package var replacesFile = false
  /// The title of the log's first page.
  package var title: String
  /// The version in the log's `creator`.
  package var creatorVersion: String
  /// The rules for redaction before anything is written; `nil` keeps all secrets.
  package var redaction: RedactionRules? = .standard
  /// Whether of bodies no more is written than how a call of a language model went.
  package var outlinesBodies = false
  /// The directory in which bodies are kept as files; `nil` keeps them in their entries.
  package var bodiesDirectory: String?
  /// Decides which entries are kept, from their JSON as it would be written, their number in order of completion, from 1, and the
  /// title of their page; `nil` keeps all.
  /// Called on the recorder's thread.
  package var keeps: (@Sendable (Span<UInt8>, Int, String) -> Bool)?
  /// Gets each entry that is kept, as it is written, with its page. Called on the recorder's thread.
  package var exports: (@Sendable (Span<UInt8>, PageFacts) -> Void)?
  /// Whether each entry has its response debug description as `_debug`.
  package var includesDebug = false
  /// The destination for the response debug description of each exchange when it ends.
  package var debugLog: DebugLogDestination?
  /// The most bytes that wait for the recorder, bodies three quarters of them.
  package var queueLimit = standardQueueLimit
  /// The policy beyond the limits.
  package var overload = OverloadPolicy.drop
  /// The most bytes that a body may have after decoding; longer bodies are cut off.
  package var decodedBodyLimit = 16 << 20
  /// A file that would grow beyond this size is closed and the next one begun: readers written in JavaScript stop at 512 MB.
  package var fileSizeLimit = 500_000_000
  /// After this time, a file with entries is closed and the next one begun.
  package var rotationInterval: Duration?
  /// How many files of the recording stay, at least 1: the oldest are removed. `nil` keeps all.
  package var keptFiles: Int?
  /// When written data is synced to the disk.
  package var sync = SyncPolicy.never
  /// The basis for every time of day in the log.
  package var anchor = WallClockAnchor.process
  /// Called once for each kind of error while recording, on the recorder's thread. Traffic goes on.
  package var onError: @Sendable (RecorderError) -> Void = { _ in }

  /// An eighth of what memory there is, and at most 1 GiB: 5 s of 50,000 small exchanges a second.
  package static let standardQueueLimit = min(1 << 30, MachineMemory.limit / 8)

  package init(path: String, title: String, creatorVersion: String) {
    self.path = path
    self.title = title
    self.creatorVersion = creatorVersion
  }
}

/// A page as the log has it.
package struct PageFacts: Sendable, Hashable {
  package let id: String
  package let title: String
  /// When it was begun.
  package let unixNanoseconds: Int64
}

/// The fate of exchanges for which the recorder's queue has no room.
package enum OverloadPolicy: Sendable, Hashable {
  /// They lose their bodies, and then are not recorded.
  case drop
  /// Exchanges begin when there is room.
  ///
  /// - Parameter patience: how long a disk that refuses to be written to may hold them up.
  case wait(patience: Duration)
}

/// When written data is synced to the disk (`fdatasync`). Without syncing, a power cut may lose data; a kill loses nothing.
package enum SyncPolicy: Sendable, Hashable {
  /// Left to the system, which syncs within seconds.
  case never
  /// After each write.
  case eachWrite
  /// At most this long after a write.
  case interval(Duration)
}

package enum DebugLogDestination: Sendable, Hashable {
  case standardOutput
  /// A file that is appended to; it is created with mode 0600.
  case file(String)
}

/// Errors between the recorder and the disk.
package enum RecorderError: Error, Sendable, Hashable {
  /// The file exists and has content, which is never overwritten.
  case fileExists(path: String)
  /// Another recorder is writing this file.
  case locked(path: String)
  /// A pipe or a device: a HAR needs a file that can be rewritten in place.
  case notRegular(path: String)
  /// Another user could read the file or change its directory.
  case notPrivate(path: String, PrivateFileError)
  case cannotCreate(path: String, code: Int32)
  /// Entries are lost from now on, until writing succeeds again.
  case writeFailed(path: String, code: Int32)
  /// Writing failed, and is tried again. Nothing is lost so far.
  case writeWaits(path: String, code: Int32)
  /// The file was removed while it was being written.
  case removed(path: String)
  /// The directory for bodies cannot be made or written to.
  case cannotUseBodies(path: String, code: Int32)
  case snapshotFailed(path: String, code: Int32)
  /// Nothing is recorded any more.
  case finished
  case cannotStartThread(code: Int32)

  package var path: String? {
    switch self {
    case .fileExists(let path), .locked(let path), .notRegular(let path), .removed(let path), .notPrivate(let path, _): path
    case .cannotCreate(let path, _), .writeFailed(let path, _), .writeWaits(let path, _): path
    case .cannotUseBodies(let path, _), .snapshotFailed(let path, _): path
    case .finished, .cannotStartThread: nil
    }
  }

  /// The reason, in a few words.
  package var reason: String {
    switch self {
    case .fileExists: "it exists already"
    case .locked: "another tapeline is recording into it"
    case .notRegular: "it is not a regular file"
    case .notPrivate(_, let error): error.description
    case .cannotCreate(_, let code), .cannotUseBodies(_, let code), .cannotStartThread(let code):
      SystemCallError.text(of: code)
    case .snapshotFailed(_, let code): "copying failed: \(SystemCallError.text(of: code))"
    case .finished: "recording has ended"
    case .writeFailed(_, let code), .writeWaits(_, let code): "writing failed: \(SystemCallError.text(of: code))"
    case .removed: "it was removed while recording"
    }
  }

  /// The remedy.
  package var remedy: String {
    switch self {
    case .fileExists: "name another file with --output, or replace this one with --force"
    case .locked: "name another file with --output"
    case .notRegular: "name a file with --output; a HAR is rewritten in place and cannot be piped"
    case .notPrivate: "name another, or remove this one"
    case .cannotCreate: "name a file that can be made with --output"
    case .writeWaits: "exchanges wait until there is room again, at most for as long as --overload-patience says"
    case .writeFailed: "exchanges are relayed but not recorded until there is room again"
    case .removed: "exchanges are relayed but not recorded; begin the next file with tapeline rotate, or SIGHUP"
    case .cannotUseBodies: "name a directory that can be made or written to with --bodies-dir"
    case .snapshotFailed: "name another file"
    case .finished: "read the file itself"
    case .cannotStartThread: "raise the limit of threads"
    }
  }

  /// The remedy once the recording has ended without all exchanges.
  package var lateRemedy: String {
    switch self {
    case .removed: "record again, and leave the file where it is until the recording ends"
    case .fileExists, .locked, .notRegular, .notPrivate, .cannotCreate, .writeFailed, .writeWaits, .cannotUseBodies,
      .snapshotFailed, .finished, .cannotStartThread:
      "record again into a place that can be written and has room"
    }
  }

  init(_ error: PrivateFileError, path: String) {
    self =
      switch error {
      case .system(let code): .cannotCreate(path: path, code: code)
      case .exists: .fileExists(path: path)
      case .notRegular: .notRegular(path: path)
      case .link, .foreign, .otherNames, .exposed: .notPrivate(path: path, error)
      }
  }
}

extension RecorderError: CustomStringConvertible {
  package var description: String {
    (path.map { "\($0): " } ?? "") + "\(reason); \(remedy)"
  }
}

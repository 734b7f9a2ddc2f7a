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
  /// The directory in which bodies are kept as files; `nil` keeps them in their entries.
  package var bodiesDirectory: String?
  /// Decides which entries are kept, from their JSON as it would be written, their number in order of completion, from 1, and the
  /// title of their page; `nil` keeps all.
  /// Called on the recorder's thread.
  package var keeps: (@Sendable (Span<UInt8>, Int, String) -> Bool)?
  /// Whether each entry has its response debug description as `_debug`.
  package var includesDebug = false
  /// The destination for the response debug description of each exchange when it ends.
  package var debugLog: DebugLogDestination?
  /// The most bytes that wait for the recorder; beyond the limit it drops bodies, then exchanges.
  package var queueLimit = 16 << 20
  /// The most bytes that a body may have after decoding; longer bodies are cut off.
  package var decodedBodyLimit = 16 << 20
  /// A file that would grow beyond this size is closed and the next one begun: readers written in JavaScript stop at 512 MB.
  package var fileSizeLimit = 500_000_000
  /// After this many nanoseconds, a file with entries is closed and the next one begun.
  package var rotationInterval: Int64?
  /// When written data is synced to the disk.
  package var sync = SyncPolicy.never
  /// The basis for every time of day in the log.
  package var anchor = WallClockAnchor.process
  /// Called once for each kind of error while recording, on the recorder's thread. Traffic goes on.
  package var onError: @Sendable (RecorderError) -> Void = { _ in }

  package init(path: String, title: String, creatorVersion: String) {
    self.path = path
    self.title = title
    self.creatorVersion = creatorVersion
  }
}

/// When written data is synced to the disk (`fdatasync`). Without syncing, a power cut may lose data; a kill loses nothing.
package enum SyncPolicy: Sendable, Hashable {
  /// Left to the system, which syncs within seconds.
  case never
  /// After each write.
  case eachWrite
  /// At most this long after a write.
  case interval(nanoseconds: Int64)
}

package enum DebugLogDestination: Sendable, Hashable {
  case standardOutput
  /// A file that is appended to; it is created with mode 0600.
  case file(String)
}

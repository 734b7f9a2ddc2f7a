package import TapelineTime

/// How a capture is recorded.
package struct RecorderConfiguration: Sendable {
  /// The HAR to make; it must not exist, unless it is to be replaced.
  package var path: String
  /// Whether what is at `path` may be overwritten. The files of rotations never are.
  package var replacesFile = false
  /// The title of the log's first page.
  package var title: String
  /// The version that `creator` says.
  package var creatorVersion: String
  /// What is replaced before anything is written; `nil` keeps all secrets.
  package var redaction: RedactionRules? = .standard
  /// Where bodies are kept as files; `nil` keeps them in their entries.
  package var bodiesDirectory: String?
  /// Which entries are kept, by their JSON as it would be written, their number in order of completion, from 1, and the title of
  /// their page; `nil` keeps all.
  /// Asked on the recorder's thread.
  package var keeps: (@Sendable (Span<UInt8>, Int, String) -> Bool)?
  /// Whether each entry has the response debug description as `_debug`.
  package var includesDebug = false
  /// Where the response debug description of each exchange goes as it ends.
  package var debugLog: DebugLogDestination?
  /// The most bytes that wait for the recorder; beyond it bodies are dropped, then exchanges.
  package var queueLimit = 16 << 20
  /// The most bytes that a body may have after decoding; what is longer is cut off.
  package var decodedBodyLimit = 16 << 20
  /// A file that would grow beyond it is closed and the next one begun: readers written in JavaScript stop at 512 MB.
  package var fileSizeLimit = 500_000_000
  /// After so many nanoseconds a file with entries is closed and the next one begun.
  package var rotationInterval: Int64?
  /// When the disk is made to hold what was written.
  package var sync = SyncPolicy.never
  /// From which every time of day in the log is derived.
  package var anchor = WallClockAnchor.process
  /// Told once of each kind of trouble while recording, on the recorder's thread. Traffic goes on.
  package var onError: @Sendable (RecorderError) -> Void = { _ in }

  package init(path: String, title: String, creatorVersion: String) {
    self.path = path
    self.title = title
    self.creatorVersion = creatorVersion
  }
}

/// When what was written is brought to the disk (`fdatasync`). A kill of the process loses nothing without it; a power cut may.
package enum SyncPolicy: Sendable, Hashable {
  /// Left to the system, which does it within seconds.
  case never
  /// After each write.
  case eachWrite
  /// At most so long after a write.
  case interval(nanoseconds: Int64)
}

package enum DebugLogDestination: Sendable, Hashable {
  case standardOutput
  /// Appended to; made with mode 0600.
  case file(String)
}

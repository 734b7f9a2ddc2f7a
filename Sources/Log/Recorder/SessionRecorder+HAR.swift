public import TapelineCore
internal import Synchronization

extension SessionRecorder {
  /// Records into a new HAR 1.2 file.
  ///
  /// ```swift
  /// var configuration = SessionConfiguration.default
  /// configuration.recorder = try SessionRecorder(path: "tests.har")
  /// let session = Session(configuration: configuration)
  /// ```
  ///
  /// The file is a whole HAR at every moment, also after `kill -9`, and only this user can read it. Sessions with one recorder
  /// share the file.
  ///
  /// - Parameters:
  ///   - path: the file. It must not exist, unless `replacesFile`.
  ///   - replacesFile: whether a file at `path` may be replaced.
  ///   - hidesSecrets: whether passwords, tokens, keys and cookies are replaced by tokens before anything is written, as
  ///     tapeline's documentation describes (`docs/har.md`, "Redaction").
  ///   - bodyLimit: how many bytes of each body are kept.
  /// - Throws: `SessionRecorderError`, when the file cannot be made.
  public convenience init(
    path: String, replacesFile: Bool = false, hidesSecrets: Bool = true, bodyLimit: Int = 1 << 20
  ) throws(SessionRecorderError) {
    var configuration = RecorderConfiguration(path: path, title: path, creatorVersion: TapelineVersion.current)
    configuration.replacesFile = replacesFile
    if !hidesSecrets { configuration.redaction = nil }
    let recorder: Recorder
    do throws(RecorderError) {
      recorder = try Recorder(configuration: configuration)
    } catch {
      throw SessionRecorderError(path: path, reason: error.reason)
    }
    self.init(bodyLimit: bodyLimit, inlet: { recorder.inlet() }) {
      try Self.check(recorder.finish(), path: path)
    }
  }

  private static func check(_ summary: RecorderSummary, path: String) throws(SessionRecorderError) {
    if let error = summary.writeError { throw SessionRecorderError(path: path, reason: error.reason) }
    guard summary.droppedRecords > 0 else { return }
    throw SessionRecorderError(path: path, reason: "\(summary.droppedRecords) exchanges came faster than they could be written")
  }
}

extension Session {
  /// A session with the default settings that records its exchanges into a new HAR at `path`; see `SessionRecorder`.
  ///
  /// - Throws: `SessionRecorderError`, when the file cannot be made.
  public convenience init(recording path: String) throws(SessionRecorderError) {
    var configuration = SessionConfiguration.default
    configuration.recorder = try SessionRecorder(path: path)
    self.init(configuration: configuration)
  }
}

/// Why a session's exchanges are not recorded, or not all of them.
public struct SessionRecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The reason, in a few words.
  public let reason: String

  /// The path and the reason.
  public var description: String { "\(path): \(reason)" }
}

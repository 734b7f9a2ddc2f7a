/// Writes the exchanges of sessions into a log, as a proxy in between would, but without one. The product `TapelineRecorder`
/// makes it; `SessionConfiguration.recorder` takes it.
///
/// Every attempt of a request is an entry: redirections that were followed, challenges that were answered, retries, failures,
/// and requests that were cancelled. What is read or sent is copied up to a limit; nothing is decoded, and nobody waits for a
/// disk.
public final class SessionRecorder: Sendable {
  /// How many bytes of each body are kept.
  package let bodyLimit: Int
  private let inlet: @Sendable () -> any LoopRecorder
  private let ending: @Sendable () throws -> Void

  /// - Parameters:
  ///   - bodyLimit: how many bytes of each body are kept.
  ///   - inlet: makes a way in for one loop. Called on that loop.
  ///   - ending: closes the log.
  package init(
    bodyLimit: Int, inlet: @escaping @Sendable () -> any LoopRecorder, ending: @escaping @Sendable () throws -> Void
  ) {
    self.bodyLimit = bodyLimit
    self.inlet = inlet
    self.ending = ending
  }

  deinit {
    do {
      try ending()
    } catch {
      // Nobody is left who could be told.
    }
  }

  /// Writes what has ended so far, and closes the log. An exchange is in it if the handlers of its request have been called;
  /// exchanges that end later are not recorded. Another call does nothing.
  ///
  /// Without this call the log is complete some milliseconds after the last exchange, and closed when nobody holds the
  /// recorder. It is valid at every moment.
  ///
  /// - Throws: when exchanges are missing, because the disk was full or slow.
  public func finish() throws {
    try ending()
  }

  /// A way in for the calling loop.
  func makeInlet() -> any LoopRecorder { inlet() }
}

extension Session {
  /// Writes the session's exchanges into a log; `nil` if they are not recorded.
  public var recorder: SessionRecorder? { configuration.recorder }
}

/// One loop's end of a session's log. Loop-bound.
final class SessionLog {
  let bodyLimit: Int
  private let recorder: any LoopRecorder

  init(_ recorder: SessionRecorder) {
    bodyLimit = recorder.bodyLimit
    self.recorder = recorder.makeInlet()
  }

  /// At once: whoever is told of the exchange's end may close the log.
  func record(_ draft: RecordDraft) {
    recorder.record(draft)
    recorder.handOn()
  }
}

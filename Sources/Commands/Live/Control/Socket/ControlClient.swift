package import TapelineOffline
package import TapelineHAR
internal import TapelineTime

/// Sends requests to a recording over its control socket.
package struct ControlClient {
  package let path: String

  /// A copy of a large log takes its time.
  private static let patience = Duration.seconds(120)
  /// A recording answers at once if it has nothing to copy; one that hangs must not keep others from being found.
  private static let shortPatience = Duration.seconds(5)

  /// Sends a request and returns the members of the result.
  package func ask(_ request: ControlRequest) throws(CommandFailure) -> HARObject {
    try exchange(request, patience: Self.patience).result
  }

  /// Asks the recording to end, and returns when it has ended: its process closes the connection last of all.
  package func stop(patience: Duration) throws(CommandFailure) {
    let connection = try exchange(.stop, patience: Self.shortPatience).connection
    do throws(ControlConnectionError) {
      try connection.receiveEnd(before: .now.advanced(by: patience))
    } catch {
      throw CommandFailure(
        status: .conditionFailed, what: "stop", why: "the recording has not ended yet", remedy: "wait longer with --timeout")
    }
  }

  package func status() throws(CommandFailure) -> RecordingStatus {
    try ask(.status) { members throws(ControlMessageError) in try RecordingStatus(members: members) }
  }

  /// The clients that are passed through, or with `clear`, those that were until now.
  package func passedThrough(clear: Bool) throws(CommandFailure) -> [RecordingStatus.PassedThrough] {
    try ask(.passthrough(clear: clear)) { members throws(ControlMessageError) in
      try RecordingStatus.PassedThrough.list(in: members)
    }
  }

  /// The rules, after some were turned on or off.
  ///
  /// - Parameter turned: their numbers, from 1.
  package func rules(turned: [Int], off: Bool) throws(CommandFailure) -> [ListedRule] {
    try ask(.rules(turned: turned, off: off)) { members throws(ControlMessageError) in try ListedRule.list(in: members) }
  }

  package func traffic() throws(CommandFailure) -> RecordingTraffic {
    try ask(.traffic) { members throws(ControlMessageError) in try RecordingTraffic(members: members) }
  }

  /// Reads an answer that comes at once.
  private func ask<Answer>(
    _ request: ControlRequest, _ read: (HARObject) throws(ControlMessageError) -> Answer
  ) throws(CommandFailure) -> Answer {
    let members = try exchange(request, patience: Self.shortPatience).result
    do throws(ControlMessageError) {
      return try read(members)
    } catch {
      throw failure(error.description)
    }
  }

  private func exchange(
    _ request: ControlRequest, patience: Duration
  ) throws(CommandFailure) -> (result: HARObject, connection: ControlConnection) {
    let deadline = MonotonicInstant.now.advanced(by: patience)
    let line: [UInt8]
    let connection: ControlConnection
    do throws(ControlConnectionError) {
      connection = try ControlConnection.open(path, before: deadline)
      try connection.send(request.line, before: deadline)
      line = try connection.receiveLine(limit: Self.replyLimit, before: deadline)
    } catch {
      throw failure(error.description)
    }
    return (try result(of: line), connection)
  }

  private static let replyLimit = 16 << 20

  private func result(of line: [UInt8]) throws(CommandFailure) -> HARObject {
    let reply: ControlReply
    do throws(ControlMessageError) {
      reply = try ControlReply(line: line)
    } catch {
      throw failure(error.description)
    }
    switch reply {
    case .result(let members): return members
    case .failure(let failure): throw failure
    }
  }

  private func failure(_ why: String) -> CommandFailure {
    CommandFailure(
      status: .unavailable, what: "no recording answers at \(path)", why: why,
      remedy: "start one with tapeline record or tapeline run, or name another with --name or --control")
  }
}

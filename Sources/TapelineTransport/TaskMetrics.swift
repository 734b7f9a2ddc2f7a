package import TapelineTime

/// What the transport measured of a task: the marks and the connection of its last attempt, and counts over all attempts.
public struct TaskMetrics: Sendable {
  /// Only the origin's side: `queued` to `responseLastByte`.
  package var marks = TimelineMarks()
  package var connection: ConnectionInfo?
  /// Attempts begun. More than one when a dead reused connection was replaced.
  public internal(set) var attempts = 0
  /// Octets written for the task, heads and framing included.
  public internal(set) var bytesSent: UInt64 = 0
  /// Octets read for the task, heads and framing included.
  public internal(set) var bytesReceived: UInt64 = 0

  package init() {}

  /// Begins another attempt: what the last one measured is not this one's.
  mutating func beginAttempt(at instant: MonotonicInstant) {
    marks = TimelineMarks()
    marks.stamp(.queued, at: instant)
    connection = nil
    attempts += 1
  }
}

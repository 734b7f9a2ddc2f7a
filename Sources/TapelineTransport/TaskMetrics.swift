package import TapelineTLS
package import TapelineTime

/// What the transport measured of a task: the marks and the connection of its last attempt, and counts over all attempts.
public struct TaskMetrics: Sendable {
  /// Only the origin's side: `queued` to `responseLastByte`.
  package var marks = TimelineMarks()
  package var connection: ConnectionInfo?
  /// What that connection's TLS handshake came to; `nil` without TLS, or when the handshake did not end.
  package var handshake: HandshakeOutcome?
  /// Attempts begun. More than one when a dead reused connection was replaced.
  public internal(set) var attempts = 0
  /// Octets written for the task, heads and framing included; what TLS adds is not.
  public internal(set) var bytesSent: UInt64 = 0
  /// Octets read for the task, heads and framing included; what TLS adds is not.
  public internal(set) var bytesReceived: UInt64 = 0

  package init() {}

  /// What was negotiated.
  package var tls: TLSParameters? {
    if case .agreed(let parameters) = handshake { parameters } else { nil }
  }

  /// Why the handshake failed.
  package var tlsFailure: TLSError? {
    if case .failed(let error) = handshake { error } else { nil }
  }

  /// Begins another attempt: what the last one measured is not this one's.
  mutating func beginAttempt(at instant: MonotonicInstant) {
    marks = TimelineMarks()
    marks.stamp(.queued, at: instant)
    connection = nil
    handshake = nil
    attempts += 1
  }
}

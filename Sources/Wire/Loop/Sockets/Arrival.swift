package import TapelineTime

/// When the bytes of one read came: by the kernel where it says so, else by the loop.
///
/// The kernel stamps segments, and a read brings the stamp of the last segment that it takes bytes of. `ArrivalJudge` says what
/// is known of the others.
package struct Arrival: Sendable, Hashable {
  /// When the first byte came. By the loop's clock: no later than this.
  package let first: MonotonicInstant
  /// When the last byte came.
  package let last: MonotonicInstant
  /// When the read returned.
  package let read: MonotonicInstant

  package init(first: MonotonicInstant, last: MonotonicInstant, read: MonotonicInstant) {
    self.first = first
    self.last = last
    self.read = read
  }

  /// Bytes that came within so long of each other came at once, as far as marks are concerned.
  package static let closeNanoseconds: Int64 = 50_000

  /// When a byte came that is not the last. By the loop's clock if the bytes did not come at once: then no later than this.
  package var within: MonotonicInstant {
    guard first.clock == .wire, last.nanoseconds(since: first) <= Self.closeNanoseconds else { return last.byLoop }
    return last
  }

  /// When bytes came that others follow, up to those that came at `instant`: of this read, or of an earlier one.
  package func within(upTo instant: MonotonicInstant) -> MonotonicInstant {
    instant == last ? within : instant.byLoop
  }

  /// The same for units that may lie in several segments, such as the records of TLS: nobody knows in which one the first unit
  /// was complete.
  package var ofUnits: Arrival { Arrival(first: within, last: last, read: read) }
}

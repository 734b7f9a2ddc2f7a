package import TapelineTime

/// When the bytes of one read came: by the kernel where it says so, else by the loop.
///
/// The kernel stamps segments. A read tells the stamp of the last segment that it takes bytes of. The first segment's is asked
/// for where it may be another: if the bytes had time to wait for each other.
package struct Arrival: Sendable {
  /// When the first byte came, as far as is known.
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
}

/// The exchanges that wait in a recorder's queue.
package struct RecorderBacklog: Sendable, Hashable {
  package let exchanges: Int
  package let bytes: Int
  /// The limit in bytes: beyond it, the queue drops bodies, then whole exchanges.
  package let limit: Int
}

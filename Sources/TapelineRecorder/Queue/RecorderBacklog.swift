/// What waits in a recorder's queue.
package struct RecorderBacklog: Sendable, Hashable {
  package let exchanges: Int
  package let bytes: Int
  /// At this many bytes, bodies are left out; then exchanges.
  package let limit: Int
}

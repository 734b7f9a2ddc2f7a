/// What waits in a recorder's queue.
package struct RecorderBacklog: Sendable, Hashable {
  package let exchanges: Int
  package let octets: Int
  /// At this many octets, bodies are left out; then exchanges.
  package let limit: Int
}

internal import Synchronization

/// Numbers the process's connections, of clients and of origins alike.
package enum ConnectionID {
  private static let last = Atomic<UInt64>(0)

  /// A number no other connection of this process has.
  package static func next() -> UInt64 {
    last.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

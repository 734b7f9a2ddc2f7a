/// The bytes that passed on a connection that no longer carries messages.
package struct RelayedBytes: Sendable, Hashable {
  package var toServer: UInt64 = 0
  package var toClient: UInt64 = 0

  package init() {}
}

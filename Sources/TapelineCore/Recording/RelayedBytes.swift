/// What passed on a connection that carries no messages any more.
package struct RelayedBytes: Sendable, Hashable {
  package var toServer: UInt64 = 0
  package var toClient: UInt64 = 0

  package init() {}
}

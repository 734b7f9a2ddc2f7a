/// Where an attempt goes: the key under which connections are kept for reuse.
package struct Route: Sendable, Hashable {
  /// The host as the target spells it, lower-cased, without brackets.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

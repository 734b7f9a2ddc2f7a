/// Where an attempt goes: the key under which connections are kept for reuse.
package struct Route: Sendable, Hashable {
  /// Lower-cased, without brackets.
  package let host: String
  package let port: UInt16

  /// - Parameter host: in any case; names have none (RFC 9110 4.2.3).
  package init(host: String, port: UInt16) {
    let hasCapitals = host.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    self.host = hasCapitals ? host.lowercased() : host
    self.port = port
  }
}

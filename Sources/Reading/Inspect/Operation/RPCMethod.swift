/// The method of a call, as its path names it: `/package.Service/Method` ("gRPC over HTTP2", Path).
package struct RPCMethod: Hashable, Sendable {
  package let service: String
  package let method: String

  /// `nil` for a path that names no method.
  package init?(path: String) {
    // Connect and gRPC-Web may be below a prefix.
    let parts = path.split(separator: "/")
    guard parts.count >= 2, path.last != "/" else { return nil }
    (service, method) = (String(parts[parts.count - 2]), String(parts[parts.count - 1]))
  }

  package var text: String { "\(service)/\(method)" }
}

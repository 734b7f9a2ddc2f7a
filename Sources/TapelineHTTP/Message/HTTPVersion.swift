/// The version of the protocol that a message names (RFC 9110 2.5).
package struct HTTPVersion: Hashable, Comparable, Sendable {
  package let major: UInt8
  package let minor: UInt8

  package init(major: UInt8, minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  package static let http10 = HTTPVersion(major: 1, minor: 0)
  package static let http11 = HTTPVersion(major: 1, minor: 1)

  /// As in a start line, `HTTP/1.1`.
  package var text: String { "HTTP/\(major).\(minor)" }

  package static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

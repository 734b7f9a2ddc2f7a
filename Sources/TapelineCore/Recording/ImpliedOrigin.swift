package import TapelineHTTP

/// Where a request without an absolute target goes, by the connection on which it came (RFC 9112 3.3).
package struct ImpliedOrigin: Sendable, Hashable {
  package let scheme: URIScheme
  /// Host and, unless it is the scheme's default, port, as in a URL.
  package let authority: String

  package init(scheme: URIScheme, authority: String) {
    self.scheme = scheme
    self.authority = authority
  }
}

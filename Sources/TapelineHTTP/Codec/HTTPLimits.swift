/// The bounds on what a peer can make tapeline hold. Each has a default; none is off.
package struct HTTPLimits: Hashable, Sendable {
  /// Bytes of a request line with its line end; a longer one gets 414.
  package var requestLine = 16 * 1024
  /// Bytes of a status line with its line end.
  package var statusLine = 16 * 1024
  /// Bytes of all field lines of a head with the final empty line; more get 431.
  package var headerBlock = 64 * 1024
  /// Field lines of a head, and of a trailer section; more get 431.
  package var fields = 200
  /// Bytes between a chunk's size and its line end.
  package var chunkExtension = 1024
  /// Bytes of a trailer section with the final empty line; more get 431.
  package var trailers = 16 * 1024
  /// 1xx responses before the final response.
  package var informationalResponses = 100
  /// Bytes of a request's content that are held to find its length, for an origin that does not understand chunks; more get 411.
  package var heldContent = 1 << 20

  package init() {}
}

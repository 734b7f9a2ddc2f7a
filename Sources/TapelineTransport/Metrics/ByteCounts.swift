/// How the bytes of one attempt divide into heads and bodies.
package struct ByteCounts: Hashable, Sendable {
  package var requestHead: UInt64 = 0
  /// Without chunked framing.
  package var requestBody: UInt64 = 0
  /// Of interim responses too.
  package var responseHead: UInt64 = 0
  /// Without chunked framing; content codings as they came.
  package var responseBody: UInt64 = 0

  package init() {}
}

/// An event on one connection. Events come in order: a message is a head, content, perhaps trailers, and `end`.
package enum HTTPEvent: Sendable {
  case requestHead(RequestHead)
  /// A 1xx response other than 101: the final response follows.
  case informational(ResponseHead)
  case responseHead(ResponseHead)
  /// Content, as a range of the received input, without its framing: nothing is copied.
  case body(Range<Int>)
  /// The trailer fields of chunked content, if there are any.
  case trailers(HeaderFields)
  /// The message is complete.
  case end
}

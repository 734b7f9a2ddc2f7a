/// What happens on one connection, in the order in which it happens. A message is a head, content, perhaps trailers, and `end`.
package enum HTTPEvent: Sendable {
  case requestHead(RequestHead)
  /// A 1xx response other than 101: the final one follows.
  case informational(ResponseHead)
  case responseHead(ResponseHead)
  /// Content, as a range of the input that was being received: nothing is copied. Framing is taken off.
  case body(Range<Int>)
  /// The trailer fields of chunked content, if there are any.
  case trailers(HeaderFields)
  /// The message is complete.
  case end
}

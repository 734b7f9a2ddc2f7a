package import TapelineHTTP2

/// The course of a stream on a connection to an HTTP/2 origin.
package struct StreamMetrics: Hashable, Sendable {
  package var id: HTTP2StreamID
  /// How often the request's content had to wait for the origin's windows, and for how long in all (RFC 9113 5.2).
  package var sendStalls = 0
  package var sendStalled = Duration.zero
  /// How long the response's content had to wait because its reader had left no window.
  package var receiveStalled = Duration.zero
  /// How the stream was ended early, if it was.
  package var reset: Reset?
  /// The code of the origin's GOAWAY, if one came while the stream was open.
  package var goAway: HTTP2ErrorCode?

  package struct Reset: Hashable, Sendable {
    package let code: HTTP2ErrorCode
    package let who: Who

    package init(code: HTTP2ErrorCode, who: Who) {
      self.code = code
      self.who = who
    }
  }

  package enum Who: String, Hashable, Sendable {
    case client
    case origin
    /// tapeline itself, because a peer broke a rule or a limit.
    case local
  }

  package init(id: HTTP2StreamID) {
    self.id = id
  }
}

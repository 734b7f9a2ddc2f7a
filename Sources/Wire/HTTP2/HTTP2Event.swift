/// A stream's number; 0 is the connection (RFC 9113 5.1.1).
public typealias HTTP2StreamID = Int32

package enum HTTP2Role: Hashable, Sendable {
  /// Toward a client: reads requests.
  case server
  /// Toward an origin: reads responses.
  case client
}

/// An event of a connection. Events come in the order in which they happened.
///
/// A stream's events are a head (or interim heads and a head), content, perhaps trailers, and `end`; or, instead of the rest,
/// `reset` or `refused`. `closed` is its last event in every case. `failed` is the last event of the connection.
package enum HTTP2Event: Sendable {
  /// The request that opens the stream.
  case request(HTTP2StreamID, HTTP2RequestHead, endsStream: Bool)
  /// A request whose head is beyond a limit. It is to be answered (RFC 6585 5), and nothing more of it is told.
  ///
  /// - method: if it came before the limit was reached.
  case oversizedRequest(HTTP2StreamID, HTTP2Violation.Excess, method: String?, endsStream: Bool)
  /// A 1xx response.
  case interim(HTTP2StreamID, HTTP2ResponseHead)
  case response(HTTP2StreamID, HTTP2ResponseHead, endsStream: Bool)
  /// Content, as a range of the received input: without padding, never empty, never copied. It counts against the windows until
  /// `consume`.
  case data(HTTP2StreamID, Range<Int>)
  case trailers(HTTP2StreamID, HTTP2Trailers)
  /// The peer's message is complete; also after a head that ends its stream.
  case end(HTTP2StreamID)
  /// The stream ended early. Content that was not consumed has been returned to the connection's window.
  case reset(HTTP2StreamID, HTTP2ErrorCode, by: HTTP2Resetter)
  /// The peer broke a rule, and we have reset the stream.
  case refused(HTTP2StreamID, HTTP2Violation)
  /// Both directions are over, and all frames that we had to send on the stream are written or dropped.
  case closed(HTTP2StreamID)

  /// Our head went into the output, with `wireSize` bytes of header block; interim heads and trailers too.
  case headSent(HTTP2StreamID, wireSize: Int)
  /// Our last frame on the stream went into the output.
  case endSent(HTTP2StreamID)

  case settings(HTTP2PeerSettings)
  /// The peer follows our settings from now on.
  case settingsAcknowledged
  /// The answer to our `ping`.
  case pong(UInt64)
  /// The client wants the response at another priority (RFC 9218 7): the value as it came.
  case priority(HTTP2StreamID, fieldValue: String)
  /// The peer opens no more streams, and has not processed streams of ours above `last`: each of them is reset, `by: .goAway`.
  case goAway(last: HTTP2StreamID, HTTP2ErrorCode)
  /// The peer broke a rule; GOAWAY is in the output or will be, and nothing more is read. All streams are over.
  case failed(HTTP2Violation)
}

package enum HTTP2Resetter: Hashable, Sendable {
  case peer
  /// The peer's GOAWAY names an earlier stream as its last: the request was not processed (RFC 9113 6.8).
  case goAway
  /// The request never left: the peer went away or refused new streams before.
  case unsent
}

/// The peer's settings (RFC 9113 6.5.2), or the values that hold until they come.
package struct HTTP2PeerSettings: Hashable, Sendable {
  package var maxConcurrentStreams: UInt32
  package var initialWindowSize: UInt32
  package var maxFrameSize: UInt32
  package var maxHeaderListSize: UInt32
  /// RFC 8441 3.
  package var offersExtendedConnect: Bool
}

/// The answer to a pull for content.
package enum HTTP2Content: Sendable {
  /// 1 to `limit` bytes; `isLast`: the stream ends with them, without trailers.
  case bytes([UInt8], isLast: Bool = false)
  /// Nothing yet: `resume` says when there is more.
  case later
  case end
  case trailers(HTTP2HeaderList)
}

package import TapelineHTTP2
package import TapelineTransport

/// An exchange as HTTP/2 carried it, on either side or on both.
///
/// A class because most records have none, and all have room for it.
package final class HTTP2Details: Sendable {
  /// The client's stream; `nil` for a client that speaks HTTP/1.
  package let clientStream: HTTP2StreamID?
  /// The stream to the origin in the last attempt; `nil` for an origin that speaks HTTP/1.
  package let stream: StreamMetrics?
  /// The request's header list as it came, pseudo-fields included; `nil` for a client that speaks HTTP/1.
  package let request: HTTP2HeaderList?
  /// The response's header list as it came; `nil` for an origin that speaks HTTP/1.
  package let response: HTTP2HeaderList?
  /// The client's wish in its last PRIORITY_UPDATE (RFC 9218 7), as it came.
  package let priorityUpdate: String?
  /// How the client's stream was ended early, if it was.
  package let clientReset: StreamMetrics.Reset?

  package init(
    clientStream: HTTP2StreamID?, stream: StreamMetrics?, request: HTTP2HeaderList?, response: HTTP2HeaderList?,
    priorityUpdate: String? = nil, clientReset: StreamMetrics.Reset? = nil
  ) {
    self.clientStream = clientStream
    self.stream = stream
    self.request = request
    self.response = response
    self.priorityUpdate = priorityUpdate
    self.clientReset = clientReset
  }

  /// An exchange over HTTP/2 takes so much besides its lists and what all exchanges take, as `scripts/lab/run stall` measured.
  private static let streamSize = 2_688

  /// Bytes of memory.
  package var memorySize: Int { Self.streamSize + (request?.memorySize ?? 0) + (response?.memorySize ?? 0) }
}

internal import TapelineCore
internal import TapelineHTTP2
internal import TapelineTime
internal import TapelineTransport

/// A forwarded exchange writes this into its record at its end.
extension ExchangeRecord {
  /// Takes over what became of the stream to the origin.
  mutating func note(_ stream: StreamMetrics, response: HTTP2ResponseHead?) {
    http2 = HTTP2Details(clientStream: nil, stream: stream, request: nil, response: response?.list)
  }

  /// Lets the phase of sending last as long as the exchange did, or its response.
  mutating func leaveSending() {
    guard !isBrokenOff, inFlightAt == nil, let last = marks[.sentLast] ?? marks[.sentFirst] else { return marks.clear(.sentLast) }
    marks.move(.sentLast, to: max(last, marks[.responseLastByte] ?? last))
  }

  /// Takes over the data of a stream after a 101.
  mutating func adopt(_ stream: UpgradedStream) {
    relayed = stream.relayed
    webSocketMessages = stream.messages
    webSocketMessageCount = stream.messageCount
  }
}

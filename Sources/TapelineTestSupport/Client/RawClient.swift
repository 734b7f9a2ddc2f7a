/// A TCP client that sends exactly the bytes it is told to, in the pieces it is told to, and never waits beyond its patience.
package final class RawClient: Sendable {
  private let stream: RecordedStream
  private let patience: Int64

  /// Connects; each later operation may take `patience` seconds.
  package init(port: UInt16, on loopback: Loopback = .v4, patience: Int64 = 10) throws(TestSupportError) {
    self.patience = patience
    stream = RecordedStream(try .connected(to: loopback, port: port, before: .after(seconds: patience)))
  }

  /// Connects as another machine would.
  package init(to address: InterfaceAddress, port: UInt16, patience: Int64 = 10) throws(TestSupportError) {
    self.patience = patience
    stream = RecordedStream(try .connected(to: address, port: port, before: .after(seconds: patience)))
  }

  package var localPort: UInt16 {
    get throws(TestSupportError) { try stream.socket.localPort }
  }

  /// All that came so far, and when.
  package var received: [UInt8] { stream.received }
  package var receivedPieces: [StreamPiece] { stream.receivedPieces }
  package var sentPieces: [StreamPiece] { stream.sentPieces }

  package func send(_ text: String) throws(TestSupportError) {
    try send(Array(text.utf8))
  }

  package func send(_ bytes: [UInt8]) throws(TestSupportError) {
    try stream.send(bytes, before: deadline)
  }

  /// Each piece is a system call of its own and, without Nagle's delay, usually a segment of its own.
  package func send(_ bytes: [UInt8], inPiecesOf size: Int) throws(TestSupportError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try send(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
  }

  /// A slow client: lets `milliseconds` pass before each piece but the first.
  package func send(pieces: [[UInt8]], every milliseconds: Int) throws(TestSupportError) {
    for (number, piece) in pieces.enumerated() {
      if number > 0 { pause(milliseconds: milliseconds) }
      try send(piece)
    }
  }

  /// Start line and fields with the empty line.
  package func receiveHead() throws(TestSupportError) -> RawMessage {
    RawMessage(head: try stream.takeHead(before: deadline), body: [], wireBody: [], trailers: [])
  }

  /// The next response, a 1xx one too, with the body that it announces.
  package func receiveResponse(to method: String = "GET") throws(TestSupportError) -> RawMessage {
    try stream.takeResponse(to: method, before: deadline)
  }

  package func receive(exactly count: Int) throws(TestSupportError) -> [UInt8] {
    try stream.take(exactly: count, before: deadline, what: "\(count) bytes")
  }

  package func receive(through mark: String) throws(TestSupportError) -> [UInt8] {
    try stream.take(through: Array(mark.utf8), before: deadline, what: mark.debugDescription)
  }

  /// Everything until the peer ends the stream, and how it ended.
  package func receiveToEnd() throws(TestSupportError) -> (bytes: [UInt8], end: StreamEnd) {
    try stream.takeRest(before: deadline)
  }

  /// Says FIN; receiving goes on.
  package func halfClose() throws(TestSupportError) {
    try stream.socket.halfClose()
  }

  /// Leaves with RST.
  package func reset() {
    stream.socket.reset()
  }

  package func close() {
    stream.socket.close()
  }

  /// Makes this a slow reader: the kernel takes in little before `receive…` is called.
  package func limitReceiveBuffer(to size: Int32) throws(TestSupportError) {
    try stream.socket.limitReceiveBuffer(to: size)
  }

  private var deadline: Deadline { .after(seconds: patience) }
}

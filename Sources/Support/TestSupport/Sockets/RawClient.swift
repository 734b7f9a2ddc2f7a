/// A TCP client that sends exactly the given bytes, in the given pieces, and never waits longer than its patience.
package final class RawClient: Sendable {
  private let stream: ReceivedStream
  private let patience: Int64

  /// Connects; each later operation may take `patience` seconds.
  package init(port: UInt16, on loopback: Loopback = .v4, patience: Int64 = 10) throws(TestSupportError) {
    self.patience = patience
    stream = ReceivedStream(try .connected(to: loopback, port: port, before: .after(seconds: patience)))
  }

  /// Connects from the address of another machine, as far as the server can tell.
  package init(to address: InterfaceAddress, port: UInt16, patience: Int64 = 10) throws(TestSupportError) {
    self.patience = patience
    stream = ReceivedStream(try .connected(to: address, port: port, before: .after(seconds: patience)))
  }

  package var localPort: UInt16 {
    get throws(TestSupportError) { try stream.socket.localPort }
  }

  /// All bytes received so far, and when they came.
  package var received: [UInt8] { stream.received }
  package var receivedPieces: [StreamPiece] { stream.receivedPieces }
  package var sentPieces: [StreamPiece] { stream.sentPieces }

  package func send(_ text: String) throws(TestSupportError) {
    try send(Array(text.utf8))
  }

  package func send(_ bytes: [UInt8]) throws(TestSupportError) {
    try stream.send(bytes, before: deadline)
  }

  /// Each piece is one system call and, without Nagle's delay, usually one segment.
  package func send(_ bytes: [UInt8], inPiecesOf size: Int) throws(TestSupportError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try send(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
  }

  /// A slow client: waits `milliseconds` before each piece except the first.
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

  /// The next response, which may be a 1xx, with the body that it announces.
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

  /// Sends FIN; receiving goes on.
  package func halfClose() throws(TestSupportError) {
    try stream.socket.halfClose()
  }

  /// Closes with RST.
  package func reset() {
    stream.socket.reset()
  }

  package func close() {
    stream.socket.close()
  }

  /// Makes this a slow reader: the kernel buffers little until `receive…` is called.
  package func limitReceiveBuffer(to size: Int32) throws(TestSupportError) {
    try stream.socket.limitReceiveBuffer(to: size)
  }

  private var deadline: Deadline { .after(seconds: patience) }
}

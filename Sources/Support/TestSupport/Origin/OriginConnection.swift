internal import Synchronization
internal import TapelineSystem
package import TapelineTime

/// One connection of a `ScriptedOrigin`: its script runs on its own thread; any thread can read what happened.
package final class OriginConnection: Sendable {
  /// From 0, in order of acceptance.
  package let number: Int
  package let accepted: MonotonicInstant
  private let stream: ReceivedStream
  private let patience: Int64
  private let requestTaken: @Sendable () -> Void
  private let log = Mutex(Log())

  private struct Log {
    var requests: [RawMessage] = []
    var failure: TestSupportError?
    var isFinished = false
  }

  init(number: Int, socket: StreamSocket, patience: Int64, requestTaken: @escaping @Sendable () -> Void) {
    self.number = number
    self.accepted = .now
    self.patience = patience
    self.requestTaken = requestTaken
    stream = ReceivedStream(socket)
  }

  /// Exactly what the peer sent, and when.
  package var received: [UInt8] { stream.received }
  package var receivedText: String { String(decoding: received, as: UTF8.self) }
  package var receivedPieces: [StreamPiece] { stream.receivedPieces }
  package var sentPieces: [StreamPiece] { stream.sentPieces }
  /// How the peer ended its side; `nil` while it has not, as far as the script has read.
  package var end: StreamEnd? { stream.end }
  /// The requests that `expectRequest` has taken.
  package var requests: [RawMessage] { log.withLock { $0.requests } }
  /// The error that stopped the script early.
  package var failure: TestSupportError? { log.withLock { $0.failure } }
  package var isFinished: Bool { log.withLock { $0.isFinished } }

  package func send(_ bytes: [UInt8]) throws(TestSupportError) {
    try stream.send(bytes, before: deadline)
  }

  package func send(_ text: String) throws(TestSupportError) {
    try send(Array(text.utf8))
  }

  package func receiveHead() throws(TestSupportError) -> RawMessage {
    RawMessage(head: try stream.takeHead(before: deadline), body: [], wireBody: [], trailers: [])
  }

  package func receiveRequest() throws(TestSupportError) -> RawMessage {
    let request = try stream.takeRequest(before: deadline)
    log.withLock { $0.requests.append(request) }
    requestTaken()
    return request
  }

  package func receive(exactly count: Int) throws(TestSupportError) -> [UInt8] {
    try stream.take(exactly: count, before: deadline, what: "\(count) bytes")
  }

  package func receiveToEnd() throws(TestSupportError) -> (bytes: [UInt8], end: StreamEnd) {
    try stream.takeRest(before: deadline)
  }

  /// Runs the script, keeps the error that stopped it, and closes.
  func play(_ script: [OriginStep]) {
    do throws(TestSupportError) {
      try run(script)
    } catch {
      log.withLock { $0.failure = error }
    }
    stream.socket.close()
    log.withLock { $0.isFinished = true }
  }

  /// Interrupts the wait of the script's thread, from another thread.
  func abandon() {
    stream.socket.abandon()
  }

  private func run(_ script: [OriginStep]) throws(TestSupportError) {
    for step in script {
      switch step {
      case .expectHead: _ = try receiveHead()
      case .expectRequest: _ = try receiveRequest()
      case .expect(let count): _ = try receive(exactly: count)
      case .expectEnd: _ = try receiveToEnd()
      case .send(let bytes): try send(bytes)
      case .delay(let milliseconds): pause(milliseconds: milliseconds)
      case .halfClose: try stream.socket.halfClose()
      case .close: stream.socket.close()
      case .reset: stream.socket.reset()
      case .forever(let steps):
        while try !stream.isAtEnd(before: deadline, what: "the next round") {
          try run(steps)
        }
      case .answer(let respond): try send(respond(try receiveRequest()))
      case .run(let body):
        do {
          try body(self)
        } catch let error as TestSupportError {
          throw error
        } catch {
          throw .malformed("the script's closure: \(error)")
        }
      }
    }
  }

  private var deadline: Deadline { .after(seconds: patience) }
}

/// Waits as a slow scripted server does. Never shorter than asked, so that lower bounds of measured times are exact.
func pause(milliseconds: Int) {
  SystemThread.sleep(untilMonotonicNanoseconds: Deadline.after(milliseconds: Int64(milliseconds)).instant.nanoseconds)
}

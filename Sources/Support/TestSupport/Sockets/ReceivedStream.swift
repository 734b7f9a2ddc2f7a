internal import Synchronization
internal import TapelineBase
internal import TapelineSystem
package import TapelineTime

/// Bytes that passed at one instant.
package struct StreamPiece: Sendable {
  package let instant: MonotonicInstant
  package let count: Int
}

/// A recording socket: any thread can read which bytes were received and sent, and when.
final class ReceivedStream: Sendable {
  let socket: StreamSocket
  private let state = Mutex(State())

  private struct State {
    var received: [UInt8] = []
    /// How much of `received` was already handed out.
    var taken = 0
    var receivedPieces: [StreamPiece] = []
    var sentPieces: [StreamPiece] = []
    var end: StreamEnd?
  }

  init(_ socket: StreamSocket) {
    self.socket = socket
  }

  var received: [UInt8] { state.withLock { $0.received } }
  var receivedPieces: [StreamPiece] { state.withLock { $0.receivedPieces } }
  var sentPieces: [StreamPiece] { state.withLock { $0.sentPieces } }
  var end: StreamEnd? { state.withLock { $0.end } }

  func send(_ bytes: [UInt8], before deadline: Deadline) throws(TestSupportError) {
    let instant = MonotonicInstant.now
    try socket.send(bytes, before: deadline)
    state.withLock { $0.sentPieces.append(StreamPiece(instant: instant, count: bytes.count)) }
  }

  /// The next bytes up to and including `mark`.
  func take(through mark: [UInt8], before deadline: Deadline, what: String) throws(TestSupportError) -> [UInt8] {
    var searched = 0
    while true {
      let (found, available): ([UInt8]?, Int) = state.withLock { state in
        let available = state.received.count - state.taken
        let start = state.taken + max(0, searched - mark.count)
        guard let end = state.received.span.end(of: mark, from: start) else { return (nil, available) }
        defer { state.taken = end }
        return ([UInt8](state.received[state.taken..<end]), available)
      }
      if let found { return found }
      searched = available
      try receiveMore(before: deadline, what: what)
    }
  }

  func take(exactly count: Int, before deadline: Deadline, what: String) throws(TestSupportError) -> [UInt8] {
    while true {
      let bytes: [UInt8]? = state.withLock { state in
        guard state.received.count - state.taken >= count else { return nil }
        defer { state.taken += count }
        return [UInt8](state.received[state.taken..<state.taken + count])
      }
      if let bytes { return bytes }
      try receiveMore(before: deadline, what: what)
    }
  }

  /// Everything until the peer ends the stream, and how it ended.
  func takeRest(before deadline: Deadline) throws(TestSupportError) -> (bytes: [UInt8], end: StreamEnd) {
    while true {
      let rest: ([UInt8], StreamEnd)? = state.withLock { state in
        guard let end = state.end else { return nil }
        defer { state.taken = state.received.count }
        return ([UInt8](state.received[state.taken...]), end)
      }
      if let rest { return rest }
      _ = try receivePiece(before: deadline, what: "the end of the stream")
    }
  }

  /// Whether the peer has ended the stream and no bytes are left; waits for bytes or the end.
  func isAtEnd(before deadline: Deadline, what: String) throws(TestSupportError) -> Bool {
    while true {
      let (hasBytes, end) = state.withLock { ($0.received.count > $0.taken, $0.end) }
      if hasBytes { return false }
      if end != nil { return true }
      _ = try receivePiece(before: deadline, what: what)
    }
  }

  private func receiveMore(before deadline: Deadline, what: String) throws(TestSupportError) {
    let end = try receivePiece(before: deadline, what: what)
    if let end { throw .ended(end, waitingFor: what, received: received) }
  }

  /// Stores the next bytes, or the end.
  private func receivePiece(before deadline: Deadline, what: String) throws(TestSupportError) -> StreamEnd? {
    if let end { return end }
    do {
      let bytes = try socket.receive(atMost: 256 * 1024, before: deadline, what: what)
      let piece = StreamPiece(instant: .now, count: bytes.count)
      return state.withLock { state in
        guard !bytes.isEmpty else {
          state.end = .closed
          return .closed
        }
        state.received += bytes
        state.receivedPieces.append(piece)
        return nil
      }
    } catch {
      guard case .system(_, ErrorCode.connectionReset) = error else { throw error }
      state.withLock { $0.end = .reset }
      return .reset
    }
  }
}

extension Span<UInt8> {
  /// Where the first `mark` at or after `start` ends. By libc: the generic search takes a microsecond for each byte when it is
  /// not optimized.
  fileprivate func end(of mark: [UInt8], from start: Int) -> Int? {
    var start = start
    while let found = firstIndex(of: mark[0], from: start), found + mark.count <= count {
      if mark.indices.allSatisfy({ self[found + $0] == mark[$0] }) { return found + mark.count }
      start = found + 1
    }
    return nil
  }
}

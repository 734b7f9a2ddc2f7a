internal import TapelineCore
internal import TapelineHTTP
internal import TapelineText
internal import TapelineTransport

/// The upload task delegate of a forwarded exchange: the client's body, pulled by the origin and captured on the way.
///
/// A value without sockets. Bytes come in as the client sends them and go up when the origin's connection asks. In between they
/// wait here, at most one receive buffer: while any wait, the client is not read.
struct ForwardedUpload: ~Copyable {
  private enum State {
    /// The client is still sending. `isInvited`: it was told to go on.
    case open(isInvited: Bool)
    case complete
  }

  private var state = State.open(isInvited: false)
  /// Bytes that the origin's connection has not asked for yet.
  private var waiting = WaitingBytes()
  private let captures: Bool
  /// For the record: the bytes that have come so far.
  private(set) var body: BodyCapture
  private(set) var trailers: HeaderFields?

  /// - Parameters:
  ///   - body: an empty capture.
  ///   - captures: whether it keeps bytes, or only counts them.
  init(into body: BodyCapture, captures: Bool) {
    self.body = body
    self.captures = captures
  }

  // MARK: From the client

  mutating func receive(_ bytes: Span<UInt8>) {
    if captures { body.append(bytes) } else { body.count(bytes) }
    waiting.append(bytes)
  }

  mutating func receive(_ trailers: HeaderFields) {
    self.trailers = trailers
  }

  /// The client has sent all of its request.
  mutating func end() {
    state = .complete
  }

  /// Whether the client has sent all of its request.
  var isComplete: Bool {
    switch state {
    case .open: false
    case .complete: true
    }
  }

  /// Whether the client must not be read for now.
  var isBehind: Bool { !waiting.isEmpty }

  /// Whether it is the client's turn: it owes bytes that the origin's connection would take.
  var awaitsClient: Bool { !isComplete && waiting.isEmpty }

  // MARK: To the origin

  /// The next bytes that go up, at most `limit`: all that wait, without a copy, unless there are more than that.
  mutating func pull(limit: Int) -> BodyChunk {
    if let piece = waiting.take(atMost: limit) { return .bytes(piece) }
    return isComplete ? .end : .later
  }

  /// Nothing goes to the origin before the body is complete. Answers whether to send a 100 now to a client that waits for it
  /// (RFC 9110 10.1.1): true only once.
  mutating func invite() -> Bool {
    guard case .open(isInvited: false) = state else { return false }
    state = .open(isInvited: true)
    return true
  }
}

/// Bytes in the pieces in which they came, except that small ones are put together. What waits is never moved.
private struct WaitingBytes {
  /// Pieces before `first` have been taken.
  private var pieces: [[UInt8]] = []
  private var first = 0
  /// Bytes of the first piece that have been taken.
  private var taken = 0

  /// Pieces are put together up to this size.
  private static let pieceSize = 16 * 1024

  var isEmpty: Bool { first == pieces.count }

  mutating func append(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    if let last = pieces.last, !isEmpty, last.count + bytes.count <= Self.pieceSize {
      pieces[pieces.count - 1].append(bytes: bytes)
    } else {
      pieces.append([UInt8](copying: bytes))
    }
  }

  /// The next bytes, at most `limit`; `nil` when none wait.
  mutating func take(atMost limit: Int) -> [UInt8]? {
    guard !isEmpty else { return nil }
    let end = min(taken + limit, pieces[first].count)
    let isRest = end == pieces[first].count
    if isRest, taken == 0 {
      var piece: [UInt8] = []
      swap(&piece, &pieces[first])
      removeFirst()
      return piece
    }
    let piece = Array(pieces[first][taken..<end])
    taken = end
    if isRest { removeFirst() }
    return piece
  }

  private mutating func removeFirst() {
    pieces[first] = []
    first += 1
    taken = 0
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first > pieces.count / 2 {
      pieces.removeFirst(first)
      first = 0
    }
  }
}

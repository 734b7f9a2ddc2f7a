internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTransport

/// The upload task delegate of a forwarded exchange: the client's body, pulled by the origin and captured on the way.
///
/// A value without sockets. Bytes come in as the client sends them and go up when the origin's connection asks. In between they
/// wait here, not much more than one receive buffer: the client is not read while any wait, until few are left.
struct ForwardedUpload: ~Copyable {
  private enum State {
    /// The client is still sending. `isInvited`: it was told to go on.
    case open(isInvited: Bool)
    case complete
  }

  private static let lowWaterMark = 64 * 1024

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

  /// Bytes came. They go up at once if the origin's connection takes them, or wait.
  mutating func capture(_ bytes: Span<UInt8>) {
    if captures { body.append(bytes) } else { body.count(bytes) }
  }

  /// Bytes that came wait until they are asked for.
  mutating func keep(_ bytes: Span<UInt8>) {
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

  /// Whether a client that is not read may be read again: early enough that the origin does not wait for the next bytes.
  var hasRoom: Bool { waiting.count <= Self.lowWaterMark }

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

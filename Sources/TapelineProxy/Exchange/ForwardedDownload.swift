internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime

/// The download task delegate of a forwarded exchange: the origin's response, pushed to the client and captured on the way.
///
/// A value without sockets: each event answers what to write to the client, or what to do to its connection. The link provides
/// the back-pressure: above its high-water mark the exchange has the task pause.
struct ForwardedDownload {
  private enum State {
    /// The client was told nothing yet.
    case untold
    /// `isTimed`: the origin did not announce the length, so the record says when each piece came.
    case relaying(BodyFraming, isTimed: Bool)
    /// All of it was handed to the client's link: the origin's response, or an answer of our own.
    case complete
    /// The origin has switched protocols, as the client had asked.
    case upgraded
    /// It broke off, or the client left: nothing more goes to the client.
    case abandoned
  }

  /// How a piece of the body goes to the client.
  enum Passage {
    case none
    case plain
    case chunk
  }

  /// What follows the end of the origin's response.
  enum Ending {
    case none
    case lastChunk
  }

  /// Our duty to the client when the exchange cannot go on.
  enum Remedy {
    /// The client was told nothing yet: an answer of our own.
    case answer
    /// A reset; without it the client would mistake the bytes it has for the whole (RFC 9112 6.3).
    case reset
    /// The end of its connection, before everything promised has come.
    case end
    case nothing
  }

  /// The most pieces whose times are recorded.
  private static let pieceLimit = 1_000

  private var state = State.untold
  private var captures = true
  /// For the record: the bytes that have come so far.
  private(set) var body: BodyCapture
  private(set) var pieces: [ExchangeRecord.Chunk] = []
  private(set) var trailers: HeaderFields?

  /// - Parameter body: an empty capture.
  init(into body: BodyCapture) {
    self.body = body
  }

  // MARK: From the origin

  /// The final head goes to the client.
  ///
  /// - Parameters:
  ///   - framing: of the content as the client gets it.
  ///   - received: of the content as the origin sends it; `nil` when it is not known.
  ///   - captures: whether the body's bytes are kept, or only counted.
  mutating func begin(_ framing: BodyFraming, from received: BodyFraming?, captures: Bool) {
    let isTimed =
      switch received {
      case .chunked, .untilClose: true
      case .length, .some(.none), nil: false
      }
    state = .relaying(framing, isTimed: isTimed)
    self.captures = captures
  }

  /// The 101 that the client has asked for goes to the client.
  mutating func upgrade() {
    state = .upgraded
  }

  /// - Parameter instant: when the bytes came, if that is known.
  mutating func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant?) -> Passage {
    guard case .relaying(let framing, let isTimed) = state else { return .none }
    if captures { body.append(bytes) } else { body.count(bytes) }
    if isTimed, let instant, pieces.count < Self.pieceLimit {
      pieces.append(ExchangeRecord.Chunk(instant: instant, size: bytes.count))
    }
    return switch framing {
    case .chunked: .chunk
    case .length, .untilClose: .plain
    case .none: .none
    }
  }

  mutating func receive(_ trailers: HeaderFields) {
    self.trailers = trailers
  }

  /// The origin's response is complete.
  mutating func end() -> Ending {
    guard case .relaying(let framing, isTimed: _) = state else { return .none }
    state = .complete
    return framing == .chunked ? .lastChunk : .none
  }

  // MARK: What goes wrong

  /// The origin failed.
  mutating func originDidFail() -> Remedy {
    switch state {
    case .untold:
      state = .complete
      return .answer
    case .relaying(.untilClose, isTimed: _):
      state = .abandoned
      return .reset
    case .relaying, .upgraded:
      state = .abandoned
      return .end
    case .complete, .abandoned:
      return .nothing
    }
  }

  /// The client broke the protocol in its own message. A response that has begun is not continued.
  mutating func clientDidFail() -> Remedy {
    switch state {
    case .untold:
      state = .complete
      return .answer
    case .relaying(.untilClose, isTimed: _):
      state = .abandoned
      return .reset
    case .relaying, .complete, .upgraded, .abandoned:
      state = .abandoned
      return .end
    }
  }

  /// The client is gone.
  mutating func clientDidLeave() {
    state = .abandoned
  }

  // MARK: Questions

  /// Whether the client was told nothing yet.
  var isUntold: Bool {
    switch state {
    case .untold: true
    case .relaying, .complete, .upgraded, .abandoned: false
    }
  }

  /// Whether the client is being sent content whose length it was told.
  var isMidLength: Bool {
    switch state {
    case .relaying(.length, isTimed: _): true
    case .relaying, .untold, .complete, .upgraded, .abandoned: false
    }
  }

  /// Whether the exchange, at its end, waits until the client has the bytes on their way.
  var isOwed: Bool {
    switch state {
    case .relaying, .complete: true
    case .untold, .upgraded, .abandoned: false
    }
  }
}

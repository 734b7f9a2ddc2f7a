internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime

/// The download task delegate of a forwarded exchange: the origin's response, pushed to the client and captured on the way.
///
/// A value without sockets: each event answers what the client is owed. The client's end provides the back-pressure: above its
/// high-water mark the exchange has the task pause.
struct ForwardedDownload: ~Copyable {
  private enum State {
    /// The client was told nothing yet.
    case untold
    /// The head has gone to the client.
    case relaying(Content)
    /// All of it was handed to the client's end: the origin's response, whose length the client may have been told, or an answer
    /// of our own.
    case complete(hadLength: Bool)
    /// The origin has switched protocols, as the client had asked.
    case upgraded
    /// It broke off, or the client left: nothing more goes to the client.
    case abandoned
  }

  private enum Content {
    case none
    /// The client was told how many bytes will come; so many are left.
    case announced(left: UInt64)
    /// The origin did not announce the length, so the record says when each piece came.
    case timed

    init(_ framing: BodyFraming?) {
      switch framing {
      case .chunked, .untilClose: self = .timed
      case .length(let length): self = .announced(left: length)
      case .some(.none), nil: self = .none
      }
    }
  }

  /// Our duty to the client when the exchange cannot go on.
  enum Remedy {
    /// The client was told nothing yet: an answer of our own.
    case answer
    /// The client was told nothing, and hears of the failure by the end of its connection.
    case passOn
    /// The client must not take the bytes it has for the whole.
    case breakOff
    case nothing
  }

  private var state = State.untold
  private var captures = true
  /// For the record: the bytes that have come so far.
  private(set) var body: BodyCapture
  private(set) var pieces = ArrivalTimes()
  private(set) var trailers: HeaderFields?

  /// - Parameter body: an empty capture.
  init(into body: BodyCapture) {
    self.body = body
  }

  // MARK: From the origin

  /// The final head goes to the client.
  ///
  /// - Parameters:
  ///   - received: the framing of the content as the origin sends it; `nil` when it is not known.
  ///   - captures: whether the body's bytes are kept, or only counted.
  mutating func begin(_ received: BodyFraming?, captures: Bool) {
    switch state {
    case .untold: state = .relaying(Content(received))
    case .relaying, .complete, .upgraded, .abandoned: preconditionFailure("a head goes to a client that was told nothing")
    }
    self.captures = captures
  }

  /// The 101 that the client has asked for goes to the client.
  mutating func upgrade() {
    switch state {
    case .untold: state = .upgraded
    case .relaying, .complete, .upgraded, .abandoned: preconditionFailure("a 101 goes to a client that was told nothing")
    }
  }

  /// Returns whether the bytes go to the client.
  ///
  /// - Parameter instant: when the bytes came, if that is known.
  mutating func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant?) -> Bool {
    guard case .relaying(let content) = state else { return false }
    if captures { body.append(bytes) } else { body.count(bytes) }
    switch content {
    case .timed:
      if let instant { pieces.append(instant, bytes.count) }
      return true
    case .announced(let left):
      let content = Content.announced(left: left - min(left, UInt64(bytes.count)))
      state = .relaying(content)
      return true
    case .none: return false
    }
  }

  /// Whether further bytes need not be seen: the record has all that it keeps, and the client was told how many come.
  var passesUnseen: Bool {
    switch state {
    case .relaying(.announced): !captures || body.isFull
    case .relaying(.none), .relaying(.timed), .untold, .complete, .upgraded, .abandoned: false
    }
  }

  /// Bytes went to the client unseen.
  mutating func pass(_ count: Int) {
    guard case .relaying(let content) = state, case .announced(let left) = content else { return }
    body.count(UInt64(count))
    let rest = Content.announced(left: left - min(left, UInt64(count)))
    state = .relaying(rest)
  }

  mutating func receive(_ trailers: HeaderFields) {
    self.trailers = trailers
  }

  /// The origin's response is complete. Answers whether the client is told of its end.
  mutating func end() -> Bool {
    guard case .relaying(let content) = state else { return false }
    let hadLength = if case .announced = content { true } else { false }
    state = .complete(hadLength: hadLength)
    return true
  }

  // MARK: What goes wrong

  /// The origin failed.
  ///
  /// - Parameter passesOn: whether a client that was told nothing gets no answer either.
  mutating func originDidFail(passesOn: Bool) -> Remedy {
    switch state {
    case .untold where passesOn:
      state = .abandoned
      return .passOn
    case .untold:
      state = .complete(hadLength: false)
      return .answer
    case .relaying, .upgraded:
      state = .abandoned
      return .breakOff
    case .complete, .abandoned:
      return .nothing
    }
  }

  /// The client broke the protocol in its own message. A response that has begun is not continued.
  mutating func clientDidFail() -> Remedy {
    switch state {
    case .untold:
      state = .complete(hadLength: false)
      return .answer
    case .relaying, .complete, .upgraded, .abandoned:
      state = .abandoned
      return .breakOff
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

  /// Whether all of the response has come.
  var isComplete: Bool {
    switch state {
    case .complete: true
    case .untold, .relaying, .upgraded, .abandoned: false
    }
  }

  /// Whether the client is being sent content whose length it was told, and does not have all of it.
  var isMidLength: Bool {
    switch state {
    case .relaying(.announced(let left)): left > 0
    case .relaying, .untold, .complete, .upgraded, .abandoned: false
    }
  }

  /// Whether all of the content was handed to the client's end, by the length that the client was told, or because there is none:
  /// in HTTP/2 the end is told after that.
  var isWholeByLength: Bool {
    switch state {
    case .relaying(.announced(left: 0)), .relaying(.none), .complete(hadLength: true): true
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

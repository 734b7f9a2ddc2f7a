internal import TapelineHTTP2
internal import TapelineBase

/// The content of a request on its way into DATA frames, as a value: one piece ahead of the frames, so that a stall shows.
///
/// nghttp2 pulls pieces while its session is busy, so nobody may be asked then: a piece that was pulled is replaced afterwards.
struct RequestContent {
  private enum Next {
    /// The next piece can be asked for.
    case wanted
    /// The source has none for now.
    case later
    case piece([UInt8], isLast: Bool)
    /// Everything was pulled but the end.
    case end(HTTP2HeaderList?)
    case over
  }

  /// The most that is kept for another attempt: about what the first windows let out before an origin can refuse a stream.
  private static let keptLimit = 64 * 1024

  private var next: Next
  /// Bytes that were pulled, and that nobody was told of yet.
  private var untold = 0
  private var told = 0
  private var kept: [[UInt8]] = []
  private var keptBytes = 0
  private var isKept = true
  private var endWasSeen = false

  /// - Parameter isEmpty: the head ends the stream.
  init(isEmpty: Bool) {
    next = isEmpty ? .over : .wanted
    endWasSeen = isEmpty
  }

  // MARK: From the source

  var isWanted: Bool { if case .wanted = next { true } else { false } }

  var isLater: Bool { if case .later = next { true } else { false } }

  /// Whether frames can be made: only the windows and the kernel hold them up.
  var isPending: Bool {
    switch next {
    case .piece, .end: true
    case .wanted, .later, .over: false
    }
  }

  /// Bytes that wait.
  var waitingBytes: Int { if case .piece(let bytes, _) = next { bytes.count } else { 0 } }

  mutating func postpone() { next = .later }

  mutating func want() { next = .wanted }

  mutating func put(_ piece: [UInt8], isLast: Bool) {
    next = .piece(piece, isLast: isLast)
    endWasSeen = isLast
    guard isKept else { return }
    keptBytes += piece.count
    if keptBytes > Self.keptLimit { forget() } else { kept.append(piece) }
  }

  /// Adds bytes of a stream, which are never sent again.
  mutating func append(_ bytes: Span<UInt8>) {
    var waiting: [UInt8] = if case .piece(let piece, _) = next { piece } else { [] }
    next = .over
    waiting.append(bytes: bytes)
    next = .piece(waiting, isLast: false)
  }

  mutating func end(trailers: HTTP2HeaderList?) {
    endWasSeen = true
    if case .piece(let piece, _) = next { next = .piece(piece, isLast: true) } else { next = .end(trailers) }
  }

  // MARK: Into frames

  mutating func pull(_ limit: Int) -> HTTP2Content {
    switch next {
    case .wanted, .later, .over:
      return .later
    case .end(let trailers):
      next = .over
      return trailers.map { .trailers($0) } ?? .end
    case .piece(let bytes, let isLast) where bytes.count <= limit:
      next = isLast ? .over : .wanted
      untold += bytes.count
      return .bytes(bytes, isLast: isLast)
    case .piece(let bytes, let isLast):
      next = .piece(Array(bytes[limit...]), isLast: isLast)
      untold += limit
      return .bytes(Array(bytes[..<limit]))
    }
  }

  /// Bytes that were pulled since the last call.
  mutating func takeUntold() -> Int {
    defer { untold = 0 }
    told += untold
    return untold
  }

  // MARK: Another attempt

  /// Whether all of it that was taken from the source is still here.
  var isRepeatable: Bool { isKept }

  /// A response has begun: there is no other attempt.
  mutating func forget() {
    isKept = false
    kept = []
  }

  /// Gives what was taken back to the source.
  func putBack(into gathered: inout GatheredBody) {
    gathered.putBack(kept, told: told)
    if endWasSeen { gathered.end() }
  }
}

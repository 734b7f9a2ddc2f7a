internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime

/// A body of unknown length, for a server that may not understand chunks (RFC 9112 6.1).
extension SessionTask {
  enum Gathering {
    /// The request has a length now, unless it has trailers, which only chunks can carry.
    case whole
    /// The source has no more for now.
    case unfinished
    case tooLong
  }

  /// Whether the transport waits for the whole body before it sends anything.
  package var isGatheringBody: Bool { gathered.isAwaited && !gathered.isWhole }

  /// Asks the source for the body, as far as it is there and not beyond `limit`.
  ///
  /// - Parameter keepsTrailers: whether the request stays chunked for the trailers' sake.
  func gatherBody(atMost limit: Int, keepsTrailers: Bool) -> Gathering {
    while true {
      switch sourceChunk(limit: 64 * 1024) {
      case .bytes(let chunk):
        gathered.append(chunk)
        if gathered.count > limit { return .tooLong }
      case .later:
        return .unfinished
      case .end:
        gathered.end()
        if !keepsTrailers || trailers == nil { promiseLength() }
        return .whole
      }
    }
  }

  private func promiseLength() {
    guard case .exchange(let request) = work else { preconditionFailure("only an exchange has a body") }
    work = .exchange(request.framed(by: .length(UInt64(gathered.count))))
  }
}

/// The part of a request's body that was asked for before a connection could take it, to find out the body's length.
struct GatheredBody {
  private var bytes: [UInt8] = []
  private var taken = 0
  /// Nothing is sent before all of it is here.
  var isAwaited = false
  /// The source has said that the body ends: nothing comes after these bytes.
  private(set) var isWhole = false
  /// Bytes of which the sender was told that they were sent, and that are sent again.
  private var repeated = 0

  /// Whether the source's next bytes are the next that are sent.
  var isUnused: Bool { bytes.isEmpty && !isAwaited && !isWhole }

  /// Bytes gathered, taken or not.
  var count: Int { bytes.count }

  mutating func append(_ chunk: [UInt8]) {
    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
  }

  mutating func end() {
    isWhole = true
  }

  /// Takes back the first pieces of the body: another attempt sends them again.
  ///
  /// - Parameter told: how many bytes of them the sender was told of.
  mutating func putBack(_ pieces: [[UInt8]], told: Int) {
    bytes = Array(pieces.joined()) + bytes[taken...]
    taken = 0
    repeated += told
  }

  /// How many of `count` bytes that were sent were not sent in an earlier attempt.
  mutating func countNew(of count: Int) -> Int {
    let again = min(count, repeated)
    repeated -= again
    return count - again
  }

  /// The next bytes, in order; `nil` when there are no more.
  mutating func take(atMost limit: Int) -> [UInt8]? {
    guard taken < bytes.count else { return nil }
    let end = min(bytes.count, taken + limit)
    let piece = taken == 0 && end == bytes.count ? bytes : Array(bytes[taken..<end])
    taken = end
    if taken == bytes.count {
      bytes = []
      taken = 0
    }
    return piece
  }
}

/// The part of a response that came after its head, while its task decides what follows.
final class HeldResponse {
  let status: Int
  let instant: MonotonicInstant
  private(set) var bytes: [UInt8] = []
  /// In HTTP/2, where the next response may not wait for this one: what came after the bytes.
  var trailers: HeaderFields?
  var isComplete = false

  init(status: Int, at instant: MonotonicInstant) {
    self.status = status
    self.instant = instant
  }

  func append(_ piece: Span<UInt8>) {
    bytes.append(bytes: piece)
  }
}

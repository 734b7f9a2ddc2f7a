public import TapelineTransport

/// Where the body of an upload comes from.
public enum UploadBody: Sendable {
  /// No body.
  case none
  /// Octets in memory; how many of them are gone is kept beside.
  case data([UInt8], offset: Int = 0)
  /// Asked for the next piece, at most as long as given, each time the connection can take one.
  case stream(@Sendable (_ limit: Int) -> BodyChunk)

  /// The next piece; advances.
  mutating func next(limit: Int) -> BodyChunk {
    switch self {
    case .none:
      return .end
    case .data(let bytes, let offset):
      guard offset < bytes.count else { return .end }
      let end = min(offset + limit, bytes.count)
      self = .data(bytes, offset: end)
      return .bytes(offset == 0 && end == bytes.count ? bytes : Array(bytes[offset..<end]))
    case .stream(let pull):
      return pull(limit)
    }
  }
}

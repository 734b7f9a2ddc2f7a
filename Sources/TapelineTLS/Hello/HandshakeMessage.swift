/// Assembles the first handshake message of a direction (RFC 8446 4) from the records that carry it.
struct HandshakeMessage: Sendable {
  enum Kind: UInt8, Sendable {
    case clientHello = 1
    case serverHello = 2
  }

  enum State {
    case incomplete
    case complete
    /// Not the message that must come first, or too long.
    case invalid
  }

  private let kind: Kind
  /// With the header.
  private var bytes: [UInt8] = []

  private static let headerSize = 4
  /// Hellos have a few hundred bytes, or a few thousand with post-quantum key shares.
  static let sizeLimit = 64 * 1024

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// Takes the bytes of this message from `fragment`, and leaves those of later messages.
  mutating func append(_ fragment: Span<UInt8>) -> State {
    for index in fragment.indices {
      if let length, bytes.count == Self.headerSize + length { return .complete }
      bytes.append(fragment[index])
      if bytes.count == 1, bytes[0] != kind.rawValue { return .invalid }
      if let length, length > Self.sizeLimit { return .invalid }
    }
    return length.map { bytes.count == Self.headerSize + $0 } ?? false ? .complete : .incomplete
  }

  /// The length in the header, once the header is complete.
  private var length: Int? {
    guard bytes.count >= Self.headerSize else { return nil }
    return Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
  }

  /// Reads the message after its header.
  func read<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(droppingFirst: Self.headerSize))
  }
}

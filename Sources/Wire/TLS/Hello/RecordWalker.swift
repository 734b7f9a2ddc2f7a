/// Follows the records of one direction (RFC 8446 5.1) by their headers, over bytes that arrive in pieces of any size.
struct RecordWalker: Sendable {
  enum ContentType: UInt8, Sendable {
    case changeCipherSpec = 20
    case alert = 21
    case handshake = 22
    case applicationData = 23
  }

  /// Contiguous bytes of one record.
  struct Fragment {
    let type: ContentType
    /// The length of the whole record, without its header.
    let recordLength: Int
    /// The position of the bytes in the input.
    let range: Range<Int>
  }

  enum Step {
    case fragment(Fragment)
    /// All input is processed.
    case needsMore
    /// No TLS record begins here.
    case invalid
  }

  private var type: ContentType?
  private var headerCount = 0
  private var recordLength = 0
  private var remaining = 0
  /// Records in a row without content.
  private var emptyRecords = 0

  private static let headerSize = 5
  /// 2^14 bytes, and as many as encryption may add in TLS 1.2 (RFC 5246 6.2.3); TLS 1.3 allows less.
  private static let lengthLimit = 16384 + 2048
  /// OpenSSL takes as many.
  private static let emptyRecordLimit = 32

  /// The next step through `bytes`, from `position` on.
  mutating func next(in bytes: Span<UInt8>, from position: inout Int) -> Step {
    while remaining == 0, position < bytes.count {
      guard readHeader(bytes[position]) else { return .invalid }
      position += 1
    }
    guard remaining > 0, position < bytes.count, let type else { return .needsMore }
    let range = position..<min(position + remaining, bytes.count)
    remaining -= range.count
    position = range.upperBound
    if remaining == 0 { headerCount = 0 }
    return .fragment(Fragment(type: type, recordLength: recordLength, range: range))
  }

  /// Checks each byte as it arrives: mostly the first byte already shows that a connection is not TLS.
  private mutating func readHeader(_ byte: UInt8) -> Bool {
    headerCount += 1
    switch headerCount {
    case 1:
      type = ContentType(rawValue: byte)
      return type != nil
    case 2:
      return byte == 3
    case 3:
      // Means nothing (RFC 8446 5.1).
      return true
    case 4:
      recordLength = Int(byte) << 8
      return recordLength <= Self.lengthLimit
    case Self.headerSize:
      recordLength |= Int(byte)
      remaining = recordLength
      emptyRecords = recordLength == 0 ? emptyRecords + 1 : 0
      if recordLength == 0 { headerCount = 0 }
      return recordLength <= Self.lengthLimit && emptyRecords <= Self.emptyRecordLimit
    default:
      preconditionFailure("a record's header has five bytes")
    }
  }
}

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

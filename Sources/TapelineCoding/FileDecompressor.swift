/// Undoes the compression of a whole file, piece by piece: gzip (RFC 1952) and Zstandard (RFC 8878), told by the first bytes of the file.
/// Brotli has no such bytes.
///
/// Owned by one thread. Memory holds the window that the file wants, 128 MiB at most (which `zstd --ultra` may), and nothing else.
package final class FileDecompressor {
  private enum Decoder {
    case gzip(Inflater)
    case zstandard(ZstandardDecoder)
  }

  private enum Place {
    /// Nothing has come since the beginning, or the end of a member.
    case between
    case inside
    /// Behind the last member: padding, as tapes have it.
    case padding
  }

  /// What is undone.
  package let coding: ContentCoding
  private let decoder: Decoder
  private var place = Place.between
  /// Whether there was a gzip member.
  private var isBehindMember = false

  /// What zstd(1) takes without being asked for more.
  private static let windowLog: Int32 = 27

  /// So many bytes of a file tell its compression.
  package static let signatureSize = 4

  /// `nil` when a file that begins like this is not compressed, or by something else.
  package init?(startingWith bytes: Span<UInt8>) {
    guard let coding = Self.coding(startingWith: bytes) else { return nil }
    self.coding = coding
    decoder = coding == .gzip ? .gzip(Inflater()) : .zstandard(ZstandardDecoder(windowLog: Self.windowLog))
    if case .gzip(let inflater) = decoder { inflater.beginGzip() }
  }

  /// Whether what was given so far is whole, and nothing more has to follow.
  package var isComplete: Bool { place != .inside }

  /// Undoes as much of `input` as fits into `room`, from `start` of it on. While the room gets full, more may come without more input.
  ///
  /// - Returns: how much of `input` was taken and of `room` filled.
  package func decode(
    _ input: Span<UInt8>, into room: inout [UInt8], from start: Int
  ) throws(DecodingError) -> (taken: Int, made: Int) {
    if input.count == 0, place != .inside { return (0, 0) }
    switch decoder {
    case .gzip(let inflater): return try inflate(input, by: inflater, into: &room, from: start)
    case .zstandard(let decoder):
      let step = decoder.fill(&room, from: start, with: input)
      try check(step.end)
      place = step.end == .complete ? .between : .inside
      return (step.taken, step.made)
    }
  }

  private func inflate(
    _ input: Span<UInt8>, by inflater: Inflater, into room: inout [UInt8], from start: Int
  ) throws(DecodingError) -> (taken: Int, made: Int) {
    if place == .between, isBehindMember, input[0] == 0 { place = .padding }
    if place == .padding {
      for index in input.indices where input[index] != 0 { throw .wrongData(.gzip, reason: "something else follows it") }
      return (input.count, 0)
    }
    let step = inflater.fill(&room, from: start, with: input)
    try check(step.end)
    place = .inside
    if step.end == .complete {
      place = .between
      isBehindMember = true
      inflater.beginGzip()
    }
    return (step.taken, step.made)
  }

  private func check(_ end: DecodingStep.End) throws(DecodingError) {
    if case .wrong(let reason) = end { throw .wrongData(coding, reason: reason) }
  }

  private static func coding(startingWith bytes: Span<UInt8>) -> ContentCoding? {
    guard bytes.count >= 2 else { return nil }
    if bytes[0] == 0x1F, bytes[1] == 0x8B { return .gzip }
    guard bytes.count >= signatureSize else { return nil }
    let magic = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[$1]) << (8 * UInt32($1)) }
    // Parallel compressors begin with a frame to be skipped, which has a magic number of its own.
    return magic == 0xFD2F_B528 || magic & 0xFFFF_FFF0 == 0x184D_2A50 ? .zstandard : nil
  }
}

/// What a decoder made of a piece.
struct FillingStep {
  var taken = 0
  var made = 0
  /// `.inputEnded` when more may follow; never `.limitReached`.
  var end = DecodingStep.End.inputEnded
}

/// Undoes the compression of a whole file, piece by piece: gzip (RFC 1952) and Zstandard (RFC 8878), recognised by the file's
/// first bytes. Brotli has no such bytes.
///
/// Owned by one thread. Memory holds only the window that the file needs, 128 MiB at most (which `zstd --ultra` may need).
package final class FileDecompressor {
  private enum Decoder {
    case gzip(Inflater)
    case zstandard(ZstandardDecoder)
  }

  private enum Place {
    /// At the beginning, or after the end of a member.
    case between
    case inside
    /// After the last member: padding, as on tapes.
    case padding
  }

  /// The coding that is undone.
  package let coding: ContentCoding
  private let decoder: Decoder
  private var place = Place.between
  /// Whether there was a gzip member.
  private var isBehindMember = false

  /// The most that zstd(1) accepts without an option.
  private static let windowLog: Int32 = 27

  /// The number of bytes at a file's start that tell its compression.
  package static let signatureSize = 4

  /// `nil` when a file that begins with `bytes` is not compressed, or has another compression.
  package init?(startingWith bytes: Span<UInt8>) {
    guard let coding = Self.coding(startingWith: bytes) else { return nil }
    self.coding = coding
    decoder = coding == .gzip ? .gzip(Inflater()) : .zstandard(ZstandardDecoder(windowLog: Self.windowLog))
    if case .gzip(let inflater) = decoder { inflater.beginGzip() }
  }

  /// Whether the input so far is complete and nothing more has to follow.
  package var isComplete: Bool { place != .inside }

  /// Undoes as much of `input` as fits into `room` from `start` on. If `room` gets full, a call without input may yield more.
  ///
  /// - Returns: how many bytes of `input` were taken, and how many of `room` were filled.
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
    // Parallel compressors begin with a skippable frame, which has its own magic number.
    return magic == 0xFD2F_B528 || magic & 0xFFFF_FFF0 == 0x184D_2A50 ? .zstandard : nil
  }
}

/// The result of decoding a piece.
struct FillingStep {
  var taken = 0
  var made = 0
  /// `.inputEnded` when more may follow; never `.limitReached`.
  var end = DecodingStep.End.inputEnded
}

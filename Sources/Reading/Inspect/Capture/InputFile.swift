internal import TapelineCoding
package import TapelineHAR

/// A file that is read from its start, piece by piece. Data compressed with gzip or Zstandard is decompressed on the way.
package struct InputFile: ~Copyable {
  /// The expected content; a file with other content is refused before the first piece.
  package enum Expectation: Sendable {
    case har
    /// A HAR with any part missing.
    case damagedHAR
    case anything
  }

  private let source: InputSource
  private let expectation: Expectation
  private let decompresses: Bool
  /// Bytes as they came from the file.
  private var raw = [UInt8](repeating: 0, count: pieceSize)
  /// The part of `raw` that has not been given away or decompressed.
  private var rest = 0..<0
  /// Bytes of the file that have been read.
  private var place = 0
  private var hasBegun = false
  private var decompressor: FileDecompressor?
  /// The last decompressed bytes; empty if the file is not compressed.
  private var decompressed: [UInt8] = []
  private var decompressedCount = 0
  /// The error to throw after the pieces before it.
  private var failure: CaptureError?

  private static let pieceSize = 256 << 10

  /// Opens the file; `-` is standard input.
  package init(path: String, expecting expectation: Expectation = .har) throws(CaptureError) {
    self.init(try InputSource.open(path), expecting: expectation)
  }

  /// Reads from the start.
  package init(_ source: InputSource, expecting expectation: Expectation = .har) {
    self.init(source, expecting: expectation, decompresses: !source.isPlain)
  }

  init(_ source: InputSource, expecting expectation: Expectation, decompresses: Bool) {
    self.source = source
    self.expectation = expectation
    self.decompresses = decompresses
  }

  /// Reads the next piece; `false` at the end of the file.
  ///
  /// A file with damaged compressed data yields the data before the damage, then throws.
  package mutating func read() throws(CaptureError) -> Bool {
    if !hasBegun {
      hasBegun = true
      return try begin()
    }
    if let decompressor { return try decompress(by: decompressor) }
    rest = 0..<(try readRaw(from: 0))
    return !rest.isEmpty
  }

  /// Lends the bytes of the last `read`.
  package func withPiece<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard decompressor == nil else { return try body(decompressed.span.extracting(first: decompressedCount)) }
    return try body(raw.span.extracting(rest))
  }

  /// The bytes of `range`, independent of the current position. Bytes that the file no longer has are missing at the end.
  ///
  /// The source must have been opened for reading anywhere.
  package func bytes(in range: Range<Int>) throws(CaptureError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < range.count {
      let count = try source.read(at: range.lowerBound + filled, into: &bytes, from: filled)
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(range.count - filled)
    return bytes
  }

  /// The compression of the file, as in `gzip`, once some of the file has been read.
  package var compression: String? { decompressor?.coding.name.description ?? source.formerCompression }

  /// Refuses a small file that unpacks to one large value, which would have to be held as a whole.
  ///
  /// - Parameter held: the bytes of the value so far.
  package func checkPacking(of held: Int) throws(CaptureError) {
    guard held > Self.largestPacked, let packed = decompressor == nil ? source.packedSize : place,
      held / Self.leastPacking > packed
    else { return }
    throw .overpacked(size: held, from: packed)
  }

  /// A value of this size is held, however small it was.
  private static let largestPacked = 3 << 20
  /// A larger value that was packed to less than this part of it was made to be so; texts are packed to a tenth.
  private static let leastPacking = 100

  /// How much of the file has been read, from 0 to 1; `nil` when its length is unknown.
  package var progress: Double? {
    source.size.map { $0 > 0 ? min(1, Double(place) / Double($0)) : 1 }
  }

  /// Whether the file is compressed. Call it before reading anything.
  consuming func isCompressed() throws(CaptureError) -> Bool {
    _ = try read()
    return decompressor != nil
  }

  /// Why the file cannot be read, from an error of the HAR reader.
  package func captureError(for error: HARReadError) -> CaptureError {
    error.kind == .missingLog ? .foreign(.jsonWithoutLog, in: compression) : .malformed(error)
  }

  // MARK: Parts

  private mutating func begin() throws(CaptureError) -> Bool {
    var count = 0
    // A pipe may return fewer bytes than requested.
    while count < ForeignContent.signatureSize {
      let added = try readRaw(from: count)
      if added == 0 { break }
      count += added
    }
    rest = 0..<count
    if decompresses, let found = FileDecompressor(startingWith: raw.span.extracting(rest)) {
      decompressor = found
      decompressed = [UInt8](repeating: 0, count: Self.pieceSize)
      let isEmpty = try !decompress(by: found)
      try refuseForeign()
      return !isEmpty
    }
    try refuseForeign()
    return count > 0
  }

  private func refuseForeign() throws(CaptureError) {
    guard expectation != .anything else { return }
    let found = withPiece { ForeignContent(startingWith: $0) }
    guard let found, found.isCertain || expectation == .har else { return }
    throw .foreign(found, in: compression)
  }

  /// Puts bytes of the file into `raw`; returns 0 at the end of the file.
  private mutating func readRaw(from offset: Int) throws(CaptureError) -> Int {
    let count = try source.read(at: place, into: &raw, from: offset)
    place += count
    return count
  }

  private mutating func decompress(by decompressor: FileDecompressor) throws(CaptureError) -> Bool {
    decompressedCount = 0
    if let failure { throw failure }
    do throws(CaptureError) {
      try fill(by: decompressor)
    } catch {
      guard decompressedCount > 0 else { throw error }
      failure = error
    }
    return decompressedCount > 0
  }

  private mutating func fill(by decompressor: FileDecompressor) throws(CaptureError) {
    // Moved out of `self`, which lends the input at the same time.
    var room: [UInt8] = []
    swap(&room, &decompressed)
    defer { swap(&room, &decompressed) }
    var isFull = true
    while decompressedCount < room.count {
      if rest.isEmpty, !isFull {
        rest = 0..<(try readRaw(from: 0))
        if rest.isEmpty {
          guard decompressor.isComplete else { throw .undecodable("\(decompressor.coding.name): it ends in the middle") }
          return
        }
      }
      do throws(DecodingError) {
        let step = try decompressor.decode(raw.span.extracting(rest), into: &room, from: decompressedCount)
        rest = rest.lowerBound + step.taken..<rest.upperBound
        decompressedCount += step.made
        isFull = decompressedCount == room.count
      } catch {
        throw .undecodable(error.text)
      }
    }
  }
}

extension InputFile {
  /// Reads the whole file: `take` gets the pages, entries and other members of its log, each with its bytes. If it throws for
  /// one, `pass` gets the error, and the reading goes on.
  package mutating func forEachElement(
    _ take: (HARElementReader.Element, Span<UInt8>) throws(HARReadError) -> Void,
    passing pass: (HARElementReader.Element.Kind, HARReadError) -> Void
  ) throws(CaptureError) {
    var reader = HARElementReader()
    while try read() {
      withPiece { reader.feed($0) }
      try drain(&reader, take, pass)
      try checkPacking(of: reader.heldCount)
    }
    reader.finish()
    try drain(&reader, take, pass)
  }

  private func drain(
    _ reader: inout HARElementReader, _ take: (HARElementReader.Element, Span<UInt8>) throws(HARReadError) -> Void,
    _ pass: (HARElementReader.Element.Kind, HARReadError) -> Void
  ) throws(CaptureError) {
    do throws(HARReadError) {
      while let element = try reader.next() {
        do throws(HARReadError) {
          try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try take(element, bytes) }
        } catch {
          pass(element.kind, HARReadError(kind: error.kind, offset: element.range.lowerBound + error.offset))
        }
      }
    } catch {
      throw captureError(for: error)
    }
  }
}

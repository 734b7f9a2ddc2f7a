package import TapelineHAR

extension InputFile {
  /// Reads the whole file: `take` gets the pages, entries and other members of its log, each with its bytes.
  package mutating func forEachElement(
    _ take: (HARElementReader.Element, Span<UInt8>) throws(HARReadError) -> Void
  ) throws(CaptureError) {
    var reader = HARElementReader()
    while try read() {
      withPiece { reader.feed($0) }
      try drain(&reader, take)
    }
    reader.finish()
    try drain(&reader, take)
  }

  private func drain(
    _ reader: inout HARElementReader, _ take: (HARElementReader.Element, Span<UInt8>) throws(HARReadError) -> Void
  ) throws(CaptureError) {
    do throws(HARReadError) {
      while let element = try reader.next() {
        do throws(HARReadError) {
          try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try take(element, bytes) }
        } catch {
          throw HARReadError(kind: error.kind, offset: element.range.lowerBound + error.offset)
        }
      }
    } catch {
      throw captureError(for: error)
    }
  }
}

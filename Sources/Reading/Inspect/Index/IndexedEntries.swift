package import TapelineHAR

/// The exchanges of a capture that meet a condition: found by its index, and read where they are, so that nothing between them is
/// read.
package final class IndexedEntries {
  private struct Place {
    let number: Int
    let range: Range<Int>
    let pageTitle: String?
  }

  private let index: CaptureIndex
  private let source: InputSource
  private let filter: Query
  private let parts: HAREntryParts
  private var blocks: ArraySlice<CaptureIndex.Block>
  private var places: ArraySlice<Place> = []

  /// - Parameters:
  ///   - filter: all its fields are in an index.
  ///   - parts: the parts of the entries that the caller looks at.
  package init(_ index: CaptureIndex, of source: InputSource, filter: Query, parts: HAREntryParts) {
    self.index = index
    self.source = source
    self.filter = filter
    self.parts = parts
    blocks = index.blocks[...]
  }

  /// Whether an exchange can be read without reading what is before it: the capture is not compressed.
  package static func canRead(_ source: InputSource) throws(CaptureError) -> Bool {
    try !InputFile(source).isCompressed()
  }

  /// Whether there are more. The exchanges themselves are not read.
  package func hasMore() throws(CaptureIndex.Damage) -> Bool {
    while places.isEmpty {
      guard let block = blocks.popFirst() else { return false }
      places = try places(in: block)[...]
    }
    return true
  }

  /// The next exchange, in the order of the file.
  ///
  /// - Throws: also if the capture does not have the exchange where the index says.
  package func next() throws(CaptureIndex.Damage) -> (number: Int, entry: HAREntry)? {
    guard try hasMore(), let place = places.popFirst() else { return nil }
    var bytes = [UInt8](repeating: 0, count: place.range.count)
    do throws(CaptureError) {
      var filled = 0
      while filled < bytes.count {
        let count = try source.read(at: place.range.lowerBound + filled, into: &bytes, from: filled)
        if count == 0 { break }
        filled += count
      }
    } catch {
      throw CaptureIndex.Damage()
    }
    do throws(HARReadError) {
      var entry = try HAREntry(json: bytes.span, parts: parts)
      entry.file = source.name
      entry.pageTitle = place.pageTitle
      return (place.number, entry)
    } catch {
      throw CaptureIndex.Damage()
    }
  }

  private func places(in block: CaptureIndex.Block) throws(CaptureIndex.Damage) -> [Place] {
    let matching = try IndexedRows(index, block, file: source.name).matching(filter.expression)
    guard matching.contains(true) else { return [] }
    let offsets = try index.numbers(.fact(.offset), in: block)
    let lengths = try index.numbers(.fact(.length), in: block)
    let pages = parts.contains(.pageTitle) ? try index.texts(.field(.page), in: block) : nil
    var places: [Place] = []
    for row in 0..<block.rows where matching[row] {
      guard let offset = offsets[row].flatMap({ Int(exactly: $0) }), let length = lengths[row].flatMap({ Int(exactly: $0) }),
        0...Self.offsetLimit ~= offset, 0...Self.sizeLimit ~= length
      else { throw CaptureIndex.Damage() }
      var title: String?
      if case .titled(let text, _)? = pages?[row] { title = text }
      places.append(Place(number: block.first + row, range: offset..<offset + length, pageTitle: title))
    }
    return places
  }

  /// No reader holds a larger entry.
  private static let sizeLimit = 1 << 30
  /// No file is as long.
  private static let offsetLimit = 1 << 60
}

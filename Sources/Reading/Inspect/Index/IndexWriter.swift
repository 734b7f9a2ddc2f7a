package import TapelineHAR
package import TapelineSystem

/// Writes the index of a capture while its entries are read. The index appears when it is complete.
///
/// A capture that would make an unreasonable one gets none: a small compressed file can have large texts.
package struct IndexWriter: ~Copyable {
  private let draft: FileDraft
  private var blocks: [CaptureIndex.Block] = []
  private var numbers = [NumberColumn](repeating: NumberColumn(), count: IndexColumn.all.count)
  private var texts = [TextColumn.Builder](repeating: TextColumn.Builder(), count: IndexColumn.all.count)
  private var rows = 0
  private var count = 0
  private var size = 0
  /// Bytes of the texts of this block.
  private var textBytes = 0
  /// The most rows of a block.
  private let blockSize: Int
  /// The most bytes of all blocks.
  private let limit: Int

  /// The most bytes of a text.
  private static let textLimit = 64 << 10
  /// An index has some 6 % of its capture's size, which may be compressed to a twentieth.
  private static let (leastLimit, limitFactor) = (16 << 20, 4)

  /// The most bytes of an index of this state of a capture.
  static func limit(of stamp: CaptureStamp) -> Int {
    leastLimit + limitFactor * min(stamp.size, 1 << 56)
  }

  /// The parts of the entries that it needs.
  package static var parts: HAREntryParts { IndexColumn.parts }

  /// - Parameter stamp: the state of the capture.
  /// - Throws: if the directory of the capture takes no file of ours, or if its name is taken by something that is not one.
  package init(beside capture: String, for stamp: CaptureStamp) throws(PrivateFileError) {
    try self.init(beside: capture, for: stamp, blockSize: CaptureIndex.blockSize)
  }

  init(beside capture: String, for stamp: CaptureStamp, blockSize: Int) throws(PrivateFileError) {
    self.blockSize = blockSize
    limit = Self.limit(of: stamp)
    let path = IndexFile.path(beside: capture)
    try PrivateFile.checkReplaceable(path)
    draft = try FileDraft(of: path)
  }

  /// - Parameter range: the bytes of the entry in the text of the capture.
  /// - Returns: whether the capture gets an index. If not, drop the writer.
  package mutating func add(_ entry: HAREntry, at range: Range<Int>) throws(SystemCallError) -> Bool {
    count += 1
    rows += 1
    for (place, column) in IndexColumn.all.enumerated() {
      let value = column.value(of: entry, number: count, at: range)
      guard column.isText else {
        numbers[place].append(value)
        continue
      }
      guard value.size <= Self.textLimit else { return false }
      textBytes += texts[place].append(value)
    }
    if rows == blockSize || textBytes >= CaptureIndex.blockBytes { try writeBlock() }
    return size <= limit
  }

  private mutating func writeBlock() throws(SystemCallError) {
    var lengths: [Int] = []
    for (place, column) in IndexColumn.all.enumerated() {
      let bytes = column.isText ? texts[place].encoded : numbers[place].encoded
      try draft.write(bytes.span)
      lengths.append(bytes.count)
      texts[place] = TextColumn.Builder()
      numbers[place] = NumberColumn()
    }
    blocks.append(CaptureIndex.Block(offset: size, rows: rows, first: count - rows + 1, lengths: lengths))
    size = lengths.reduce(size, +)
    rows = 0
    textBytes = 0
  }

  /// Puts the index in its place.
  ///
  /// - Parameter stamp: the state of the capture that was read.
  package consuming func finish(for stamp: CaptureStamp) throws(SystemCallError) {
    if rows > 0 { try writeBlock() }
    try draft.write(CaptureIndex.trailer(for: stamp, blocks).span)
    try draft.replace()
  }
}

internal import TapelineHAR
internal import TapelineSystem

/// The index beside a capture: what queries and statistics ask of its exchanges, in columns, so that a second question does not
/// read the capture again. `docs/adr/0043-an-index-beside-a-capture.md` says why it is as it is.
///
/// The file has blocks of rows, in each block the columns one after the other, and after the blocks a JSON object that says where
/// they are and which state of which file they describe; the last eight bytes have its length.
package final class CaptureIndex {
  struct Block: Sendable {
    let offset: Int
    let rows: Int
    /// The number of its first exchange, from 1.
    let first: Int
    /// The bytes of each column, in the order of `IndexColumn.all`.
    let lengths: [Int]
  }

  /// The index has other bytes than its writer wrote.
  package struct Damage: Error {}

  static let version = 3
  /// More rows compress better; fewer take less memory.
  static let blockSize = 16_384
  /// From so many bytes of texts on, a block has no further row, so that it takes no more memory than others.
  static let blockBytes = 8 << 20
  private static let lengthSize = 8
  private static let trailerLimit = 2 << 20

  private let descriptor: Int32
  let blocks: [Block]

  /// How many exchanges the capture has.
  package var exchanges: Int { blocks.reduce(0) { $0 + $1.rows } }

  /// Opens the index of a capture; `nil` if there is none, or none of this state of the capture by this version of the program.
  /// Such an index is removed: it may say what the capture no longer says.
  ///
  /// An index that others could have written is not read, and stays.
  package static func open(beside source: InputSource) -> CaptureIndex? {
    guard ColumnBytes.isNative, let stamp = source.stamp else { return nil }
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(IndexFile.path(beside: source.name), [.noFollow, .nonBlocking])
      let status = try SystemCalls.status(of: descriptor)
      guard status.kind == .regular, status.owner == CurrentUser.effectiveID, !status.isOpenToOthers else {
        SystemCalls.discard(descriptor)
        return nil
      }
      guard let index = try CaptureIndex(descriptor, size: status.size, of: stamp) else {
        SystemCalls.discard(descriptor)
        IndexFile.remove(beside: source.name)
        return nil
      }
      return index
    } catch {
      return nil
    }
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Takes the descriptor over, unless it returns `nil` or throws.
  private init?(_ descriptor: Int32, size: Int, of stamp: CaptureStamp) throws(SystemCallError) {
    guard size <= IndexWriter.limit(of: stamp), let trailer = try Self.trailer(descriptor, size: size),
      let found = CaptureStamp(trailer.value["capture"]),
      found == stamp, trailer.value["version"]?.integer == Self.version, trailer.value["columns"] == Self.columns,
      let blocks = Self.blocks(trailer.value["blocks"], upTo: trailer.start)
    else { return nil }
    self.descriptor = descriptor
    self.blocks = blocks
  }

  /// The trailer for a state of a capture, with its length.
  static func trailer(for stamp: CaptureStamp, _ blocks: [Block]) -> [UInt8] {
    let places = blocks.map { block in
      HARValue.object([
        "offset": .number(HARNumber(block.offset)), "rows": .number(HARNumber(block.rows)),
        "lengths": .array(block.lengths.map { .number(HARNumber($0)) }),
      ])
    }
    let value: HARValue = [
      "version": .number(HARNumber(version)), "columns": columns, "capture": stamp.json, "blocks": .array(places),
    ]
    var bytes = value.json
    ColumnBytes.append([UInt64(bytes.count)], to: &bytes)
    return bytes
  }

  private static let columns = HARValue.array(IndexColumn.all.map { .string($0.name) })

  private static func trailer(_ descriptor: Int32, size: Int) throws(SystemCallError) -> (value: HARValue, start: Int)? {
    guard size > lengthSize, let end = try bytes(descriptor, at: size - lengthSize, count: lengthSize) else { return nil }
    var reader = ColumnBytes(end)
    guard let length = reader.numbers(UInt64.self, count: 1)?.first, length <= min(size - lengthSize, trailerLimit) else {
      return nil
    }
    let start = size - lengthSize - Int(length)
    guard let text = try bytes(descriptor, at: start, count: Int(length)) else { return nil }
    do throws(HARReadError) {
      return (try HARValue(json: text.span), start)
    } catch {
      return nil
    }
  }

  /// `nil` unless the blocks fill the file up to `end`.
  private static func blocks(_ value: HARValue?, upTo end: Int) -> [Block]? {
    var blocks: [Block] = []
    var (offset, first) = (0, 1)
    for place in value?.array ?? [] {
      let lengths = (place["lengths"]?.array ?? []).compactMap(\.integer)
      guard let rows = place["rows"]?.integer, rows > 0, rows <= blockSize, place["offset"]?.integer == offset,
        lengths.count == IndexColumn.all.count, lengths.allSatisfy({ 0...end ~= $0 })
      else { return nil }
      blocks.append(Block(offset: offset, rows: rows, first: first, lengths: lengths))
      offset = lengths.reduce(offset, +)
      first += rows
    }
    return offset == end ? blocks : nil
  }

  private static func bytes(_ descriptor: Int32, at place: Int, count: Int) throws(SystemCallError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try SystemCalls.read(descriptor, at: place + filled, into: &bytes, from: filled)
      if read == 0 { return nil }
      filled += read
    }
    return bytes
  }

  // MARK: Columns

  func numbers(_ column: IndexColumn, in block: Block) throws(Damage) -> NumberColumn {
    guard let numbers = NumberColumn(try bytes(of: column, in: block), rows: block.rows) else { throw Damage() }
    return numbers
  }

  func texts(_ column: IndexColumn, in block: Block) throws(Damage) -> TextColumn {
    guard let texts = TextColumn(try bytes(of: column, in: block), rows: block.rows) else { throw Damage() }
    return texts
  }

  private func bytes(of column: IndexColumn, in block: Block) throws(Damage) -> [UInt8] {
    guard let place = IndexColumn.places[column] else { preconditionFailure("only columns of the index are asked for") }
    let start = block.lengths[..<place].reduce(block.offset, +)
    let bytes: [UInt8]?
    do throws(SystemCallError) {
      bytes = try Self.bytes(descriptor, at: start, count: block.lengths[place])
    } catch {
      throw Damage()
    }
    guard let bytes else { throw Damage() }
    return bytes
  }
}

/// The state of a capture: another state is another stamp.
package struct CaptureStamp: Sendable, Hashable {
  let size: Int
  private let modified: String
  private let device: String
  private let inode: String
  /// Seconds since 1970.
  package let seconds: Int64

  init(_ status: FileStatus) {
    size = status.size
    seconds = status.modified
    modified = "\(status.modified) \(status.modifiedNanoseconds)"
    device = String(status.device)
    inode = String(status.inode)
  }

  fileprivate init?(_ value: HARValue?) {
    guard let size = value?["size"]?.integer, let modified = value?["modified"]?.string, let device = value?["device"]?.string,
      let inode = value?["inode"]?.string, let seconds = modified.split(separator: " ").first.flatMap({ Int64($0) })
    else { return nil }
    self.size = size
    self.modified = modified
    self.device = device
    self.inode = inode
    self.seconds = seconds
  }

  fileprivate var json: HARValue {
    [
      "size": .number(HARNumber(size)), "modified": .string(modified), "device": .string(device), "inode": .string(inode),
    ]
  }
}

internal import TapelineBase

/// Bytes on their way through an exchange that cannot go on yet, as a value: in the pieces in which they came, except that small
/// ones are put together. What waits is never moved.
struct WaitingBytes {
  /// Pieces before `first` have been taken.
  private var pieces: [[UInt8]] = []
  private var first = 0
  /// Bytes of the first piece that have been taken.
  private var taken = 0
  private(set) var count = 0

  /// Pieces are put together up to this size.
  private static let pieceSize = 16 * 1024

  var isEmpty: Bool { first == pieces.count }

  mutating func append(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    if let last = pieces.last, !isEmpty, last.count + bytes.count <= Self.pieceSize {
      pieces[pieces.count - 1].append(bytes: bytes)
    } else {
      pieces.append([UInt8](copying: bytes))
    }
  }

  /// The next bytes, at most `limit`; `nil` when none wait.
  mutating func take(atMost limit: Int) -> [UInt8]? {
    guard !isEmpty else { return nil }
    let end = min(taken + limit, pieces[first].count)
    let isRest = end == pieces[first].count
    count -= end - taken
    if isRest, taken == 0 {
      var piece: [UInt8] = []
      swap(&piece, &pieces[first])
      removeFirst()
      return piece
    }
    let piece = Array(pieces[first][taken..<end])
    taken = end
    if isRest { removeFirst() }
    return piece
  }

  private mutating func removeFirst() {
    pieces[first] = []
    first += 1
    taken = 0
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first > pieces.count / 2 {
      pieces.removeFirst(first)
      first = 0
    }
  }
}

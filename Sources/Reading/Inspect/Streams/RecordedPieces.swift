internal import TapelineBase
internal import TapelineHAR

/// When the pieces of a streamed response came, from `_chunks`: the compact text, or the list of logs before it.
struct RecordedPieces: Hashable, Sendable {
  /// Microseconds from the start of the exchange.
  private(set) var times: [Double] = []
  /// Bytes as they came.
  private(set) var sizes: [Int] = []
  /// Bytes of the content in the log that each completed, where they are others.
  private var contentSizes: [Int] = []
  /// Pieces that came and were only counted.
  private(set) var leftOut = 0

  /// Without pieces if the log has none.
  init(_ entry: HAREntry) {
    switch entry.custom[.chunks] {
    case .string(let text): adopt(text)
    case .array(let list):
      for piece in list {
        guard let time = piece["ts"]?.double else { continue }
        times.append(time)
        sizes.append(max(0, piece["bytes"]?.integer ?? 0))
      }
    case .null, .bool, .number, .object, nil: break
    }
  }

  private mutating func adopt(_ text: String) {
    guard let arrivals = ArrivalText(text) else { return }
    let pieces = arrivals.arrivals(of: 2)
    (times, sizes) = (pieces.map { Double($0.time) }, pieces.map(\.size))
    if arrivals.contentSizes.count == times.count { contentSizes = arrivals.contentSizes }
    leftOut = arrivals.leftOut
  }

  /// For each of these places in the content, in rising order, the milliseconds until the piece came that completed it; `nil` for
  /// a log that does not say which piece had which bytes of the content.
  ///
  /// - Parameters:
  ///   - size: bytes of the content in the log: it may have been changed after it was recorded.
  ///   - isAsReceived: whether the content in the log is the body as it came, or its beginning.
  func times(at ends: [Int], of size: Int, isAsReceived: Bool) -> [Double?]? {
    guard !times.isEmpty else { return nil }
    let sum = contentSizes.reduce(0) { $0.addingSaturating($1) }
    guard contentSizes.isEmpty ? isAsReceived : leftOut > 0 ? sum <= size : sum == size else { return nil }
    let parts = contentSizes.isEmpty ? sizes : contentSizes
    var (piece, reached) = (-1, 0)
    return ends.map { end in
      while reached < end, piece + 1 < parts.count {
        piece += 1
        reached = reached.addingSaturating(parts[piece])
      }
      return reached < end || piece < 0 ? nil : times[piece] / 1_000
    }
  }

  /// The pieces of a content of so many bytes; `nil` if they do not make it up.
  func parts(of size: Int) -> [(microseconds: Double, bytes: Int)]? {
    let parts = [sizes, contentSizes].first { parts in !parts.isEmpty && parts.reduce(0) { $0.addingSaturating($1) } == size }
    return parts.map { zip(times, $0).map { (microseconds: $0, bytes: $1) } }
  }

  /// As older logs spell them: queries ask for `_chunks.bytes`.
  var value: HARValue {
    .array(zip(times, sizes).map { ["ts": .number(HARNumber($0)), "bytes": .number(HARNumber($1))] })
  }
}

package import TapelineTime
internal import TapelineBase

/// When the pieces of a streamed response came, or messages, with a figure of each: four bytes for each, eight for one that is
/// both late and large.
///
/// A plain response has one or two pieces, which need no memory of their own.
package struct ArrivalTimes: Sendable {
  /// The time of the first one.
  private var began = MonotonicInstant(nanoseconds: 0)
  /// The words of the first two, 0 for none, until there are more.
  private var first: UInt32 = 0
  private var second: UInt32 = 0
  /// One value, or none: without it, a record has no room for more than a reference.
  private var words: [ArrivalWords] = []

  /// The most that are kept; all are counted.
  package static let most = 1_000_000

  package init() {}

  package var isEmpty: Bool { first == 0 && words.isEmpty }

  /// Those that are kept.
  package var count: Int { words.first?.count ?? (first == 0 ? 0 : second == 0 ? 1 : 2) }

  /// Those that came and were only counted.
  package var leftOut: Int { words.first?.leftOut ?? 0 }

  /// Bytes that they take besides the value itself.
  package var memorySize: Int { words.first?.memorySize ?? 0 }

  /// - Parameter figure: the bytes of a piece; of a message, whatever tells all of it.
  package mutating func append(_ instant: MonotonicInstant, _ figure: Int) {
    if isEmpty { began = instant }
    let time = instant.microseconds - began.microseconds
    if words.isEmpty {
      if second == 0, let word = ArrivalWord.single(time - (ArrivalWord.time(of: first) ?? 0), figure) {
        if first == 0 { first = word } else { second = word }
        return
      }
      words = [ArrivalWords([first, second].filter { $0 != 0 })]
      (first, second) = (0, 0)
    }
    words[0].append(at: time, figure)
  }

  /// Calls `body` with each: its time to the microsecond, and its figure.
  package func forEach(_ body: (MonotonicInstant, Int) -> Void) {
    var time: Int64 = 0
    func visit(_ gap: Int64, _ figure: Int) {
      time += gap
      body(MonotonicInstant(nanoseconds: (began.microseconds + time) * 1_000), figure)
    }
    if let words = words.first { return words.forEach(visit) }
    for word in [first, second] where word != 0 { ArrivalWord.read(word, nil, visit) }
  }
}

extension MonotonicInstant {
  fileprivate var microseconds: Int64 { nanoseconds / 1_000 }
}

/// Words of arrivals in blocks: no block moves when another one comes.
private struct ArrivalWords: Sendable {
  private var blocks: [[UInt32]] = []
  private var block: [UInt32]
  private(set) var count: Int
  private(set) var leftOut = 0
  /// The time of the last one, as the words tell it.
  private var last: Int64

  private static let blockSize = 4_096

  init(_ words: [UInt32]) {
    block = words
    count = words.count
    last = words.reduce(0) { $0 + (ArrivalWord.time(of: $1) ?? 0) }
  }

  var memorySize: Int { blocks.reduce(block.memorySize) { $0 + $1.memorySize } }

  mutating func append(at time: Int64, _ figure: Int) {
    guard count < ArrivalTimes.most else {
      leftOut += 1
      return
    }
    count += 1
    // The first block would grow beyond its end.
    if block.count >= Self.blockSize / 2, block.capacity <= Self.blockSize { block.reserveCapacity(Self.blockSize + 1) }
    let gap = max(0, time - last)
    if let word = ArrivalWord.single(gap, figure) {
      block.append(word)
      last += gap
    } else {
      let pair = ArrivalWord.pair(gap, figure)
      block.append(pair.0)
      block.append(pair.1)
      ArrivalWord.read(pair.0, pair.1) { told, _ in last += told }
    }
    guard block.count >= Self.blockSize else { return }
    blocks.append(block)
    block = []
    block.reserveCapacity(Self.blockSize + 1)
  }

  func forEach(_ body: (Int64, Int) -> Void) {
    for block in blocks + [block] {
      var index = 0
      while index < block.count {
        let second = index + 1 < block.count ? block[index + 1] : nil
        index += ArrivalWord.read(block[index], second, body)
      }
    }
  }
}

/// An arrival in one word, or in two: two bits say how many bits the gap has, in microseconds, and the figure has the others.
///
/// No word is 0.
private enum ArrivalWord {
  /// Bits of the figure by the first two bits of the word.
  private static let figureBits: [Int] = [13, 10, 16]
  private static let pairTag: UInt32 = 3 << 30
  /// In a pair, a gap of 9 minutes and more is told in 1,024 microseconds.
  private static let coarse: Int64 = 1 << 29

  /// `nil` for one that needs two words.
  static func single(_ gap: Int64, _ figure: Int) -> UInt32? {
    guard gap >= 0, figure >= 0 else { return nil }
    for (tag, bits) in figureBits.enumerated() where figure >> bits == 0 && gap >> (30 - bits) == 0 && figure + tag > 0 {
      return UInt32(tag) << 30 | UInt32(gap) << UInt32(bits) | UInt32(figure)
    }
    return nil
  }

  static func pair(_ gap: Int64, _ figure: Int) -> (UInt32, UInt32) {
    let told = gap < coarse ? gap : coarse | min(gap >> 10, coarse - 1)
    return (pairTag | UInt32(told), UInt32(clamping: figure))
  }

  /// The gap of a single word; `nil` for a word of a pair, and for none.
  static func time(of word: UInt32) -> Int64? {
    guard word != 0, word < pairTag else { return nil }
    return Int64((word & ~pairTag) >> UInt32(figureBits[Int(word >> 30)]))
  }

  /// - Returns: the words that it took.
  @discardableResult
  static func read(_ word: UInt32, _ second: UInt32?, _ body: (Int64, Int) -> Void) -> Int {
    if let gap = time(of: word) {
      body(gap, Int(word & (1 << UInt32(figureBits[Int(word >> 30)]) - 1)))
      return 1
    }
    let told = Int64(word & ~pairTag)
    body(told < coarse ? told : (told - coarse) << 10, Int(second ?? 0))
    return 2
  }
}

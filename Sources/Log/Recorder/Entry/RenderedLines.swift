internal import TapelineHAR
internal import TapelineSystem
internal import TapelineBase

/// Lines of heads, and URLs, as JSON. Most came in an earlier message: they need neither another search for secrets nor escapes.
///
/// Only lines without secrets may be put in. The memory is fixed: each line has two places, by its bytes, and takes the one that
/// was filled longer ago. If it had one, two of a server's twenty lines would often take it from each other in every exchange.
struct RenderedLines {
  private var slots = [Slot](repeating: Slot(), count: slotCount)
  /// For each pair of slots, which one was filled last: 0 or 1.
  private var lastFilled = [UInt8](repeating: 1, count: 1 << pairBits)
  /// `slotSize` bytes for each slot: the name, the value, and the line as JSON.
  private var bytes = [UInt8](repeating: 0, count: slotCount * slotSize)

  private struct Slot {
    var nameEnd: UInt16 = 0
    var valueEnd: UInt16 = 0
    var jsonEnd: UInt16 = 0
  }

  private static let pairBits = 8
  private static let slotCount = 2 << pairBits
  /// Longer lines are rare, and seldom come twice.
  private static let slotSize = 384

  /// Appends the line as JSON, if it is here.
  func append(_ name: Span<UInt8>, _ value: Span<UInt8>, to writer: inout JSONWriter) -> Bool {
    guard let json = find(name, value) else { return false }
    writer.append(json: bytes.span.extracting(json))
    return true
  }

  /// Takes the line that `writer` has as JSON from `start` on.
  mutating func insert(_ name: Span<UInt8>, _ value: Span<UInt8>, from writer: borrowing JSONWriter, at start: Int) {
    let valueEnd = name.count + value.count
    let jsonEnd = valueEnd + writer.count - start
    guard jsonEnd <= Self.slotSize else { return }
    let pair = Self.pair(of: name, value)
    lastFilled[pair] ^= 1
    let place = 2 * pair + Int(lastFilled[pair])
    slots[place] = Slot(nameEnd: UInt16(name.count), valueEnd: UInt16(valueEnd), jsonEnd: UInt16(jsonEnd))
    let base = place * Self.slotSize
    bytes.replace(at: base, with: name)
    bytes.replace(at: base + name.count, with: value)
    writer.withBytes { bytes.replace(at: base + valueEnd, with: $0.extracting(start...)) }
  }

  /// Where the line's JSON is in `bytes`.
  private func find(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Range<Int>? {
    guard !name.isEmpty, name.count + value.count <= Self.slotSize else { return nil }
    let pair = Self.pair(of: name, value)
    for place in 2 * pair...2 * pair + 1 {
      let slot = slots[place]
      guard Int(slot.nameEnd) == name.count, Int(slot.valueEnd) == name.count + value.count else { continue }
      let base = place * Self.slotSize
      let (nameEnd, valueEnd) = (base + Int(slot.nameEnd), base + Int(slot.valueEnd))
      if bytes.span.extracting(base..<nameEnd).equals(name), bytes.span.extracting(nameEnd..<valueEnd).equals(value) {
        return valueEnd..<base + Int(slot.jsonEnd)
      }
    }
    return nil
  }

  /// The number of the pair of slots in which a line may be.
  static func pair(of name: Span<UInt8>, _ value: Span<UInt8>) -> Int {
    var hash = UInt64(truncatingIfNeeded: name.count << 16 ^ value.count)
    mix(name, into: &hash)
    mix(value, into: &hash)
    return Int(truncatingIfNeeded: hash >> UInt64(64 - pairBits))
  }

  /// Eight bytes at a time; the last eight may be partly mixed already.
  @inline(__always)
  private static func mix(_ text: Span<UInt8>, into hash: inout UInt64) {
    guard text.count >= 8 else {
      var word: UInt64 = 0
      for index in text.indices { word = word << 8 | UInt64(text[index]) }
      return mix(word, into: &hash)
    }
    for index in stride(from: 0, to: text.count - 8, by: 8) { mix(text.word(at: index), into: &hash) }
    mix(text.word(at: text.count - 8), into: &hash)
  }

  @inline(__always)
  private static func mix(_ word: UInt64, into hash: inout UInt64) {
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
  }
}

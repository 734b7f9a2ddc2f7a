extension Span<UInt8> {
  /// The end without a UTF-8 sequence that was cut off in the middle: a limit in bytes ignores character boundaries.
  package var endOfWholeCharacters: Int {
    var start = count
    for _ in 0..<4 where start > 0 {
      start -= 1
      let byte = self[start]
      if byte < 0x80 { return count }
      if byte >= 0xC0 {
        let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
        return count - start < length ? start : count
      }
    }
    return count
  }

  /// The next place, from `start` on, where the delimiter of a multipart body begins a line (RFC 2046, section 5.1.1).
  package func first(delimiter: [UInt8], from start: Int) -> Int? {
    var index = start
    while let place = firstIndex(of: UInt8(ascii: "-"), from: index), place + delimiter.count <= count {
      let isLineStart = place == start || self[place - 1] == 0x0A
      if isLineStart, extracting(place..<place + delimiter.count).equals(delimiter.span) { return place }
      index = place + 1
    }
    return nil
  }

  /// The end of a line's content, whose line end is before `end`, if it has one.
  package func endBeforeLineEnd(_ end: Int) -> Int {
    guard end > 0, self[end - 1] == 0x0A else { return end }
    return endBeforeCarriageReturn(end - 1, from: 0)
  }

  package func endBeforeCarriageReturn(_ end: Int, from start: Int) -> Int {
    end > start && self[end - 1] == 0x0D ? end - 1 : end
  }
}

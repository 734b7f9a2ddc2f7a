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
}

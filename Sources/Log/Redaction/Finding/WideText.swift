/// The layout of text with two or four bytes per character, such as UTF-16 without a byte order mark.
///
/// Secrets are searched for in the bytes that are not zero.
package struct WideText: Equatable {
  /// Bytes per character.
  package let stride: Int
  /// The index of the byte that is not zero.
  package let lane: Int

  private static let prefixSize = 64

  /// `nil` when the text is not wide; two bytes are nearly always enough to tell.
  package init?(_ text: Span<UInt8>) {
    guard text.count >= 4, text[0] == 0 || text[1] == 0 || text[2] == 0 || text[3] == 0 else { return nil }
    for (stride, lane) in [(4, 0), (4, 3), (2, 0), (2, 1)] where Self.fits(text, stride, lane) {
      self.stride = stride
      self.lane = lane
      return
    }
    return nil
  }

  /// Whether in three of four characters exactly the byte at `lane` is not zero.
  private static func fits(_ text: Span<UInt8>, _ stride: Int, _ lane: Int) -> Bool {
    let count = min(text.count, prefixSize) / stride
    guard count > 0 else { return false }
    var fitting = 0
    for character in 0..<count {
      var fits = text[character * stride + lane] != 0
      for place in 0..<stride where place != lane && text[character * stride + place] != 0 { fits = false }
      if fits { fitting += 1 }
    }
    return fitting * 4 >= count * 3
  }

  /// One byte per character; characters beyond ASCII become 0xFF.
  func narrowed(_ text: Span<UInt8>) -> [UInt8] {
    (0..<text.count / stride).map { character in
      for place in 0..<stride where place != lane && text[character * stride + place] != 0 { return 0xFF }
      return text[character * stride + lane]
    }
  }

  /// Where a range of the narrowed text is.
  func place(of range: Range<Int>) -> Range<Int> {
    range.lowerBound * stride..<range.upperBound * stride
  }

  /// Appends ASCII in the layout of this text.
  func append(_ ascii: Span<UInt8>, to output: inout [UInt8]) {
    for index in ascii.indices {
      for place in 0..<stride { output.append(place == lane ? ascii[index] : 0) }
    }
  }
}

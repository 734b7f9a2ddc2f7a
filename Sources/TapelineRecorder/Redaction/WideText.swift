/// Text in two or four bytes for each character, such as UTF-16 without a mark: where its characters lie.
///
/// Secrets in it are looked for in the bytes that are not zero.
struct WideText: Equatable {
  /// Bytes of a character.
  let stride: Int
  /// Which of them is the one.
  let lane: Int

  private static let prefixSize = 64

  /// `nil` when the text is not of this kind, which nearly always two bytes tell.
  init?(_ text: Span<UInt8>) {
    guard text.count >= 4, text[0] == 0 || text[1] == 0 || text[2] == 0 || text[3] == 0 else { return nil }
    for (stride, lane) in [(4, 0), (4, 3), (2, 0), (2, 1)] where Self.fits(text, stride, lane) {
      self.stride = stride
      self.lane = lane
      return
    }
    return nil
  }

  /// Whether three characters in four have one byte that is not zero, in this place.
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

  /// A byte for each character; those beyond ASCII are 0xFF.
  func narrowed(_ text: Span<UInt8>) -> [UInt8] {
    (0..<text.count / stride).map { character in
      for place in 0..<stride where place != lane && text[character * stride + place] != 0 { return 0xFF }
      return text[character * stride + lane]
    }
  }

  /// Appends ASCII in the form of this text.
  func append(_ ascii: Span<UInt8>, to output: inout [UInt8]) {
    for index in ascii.indices {
      for place in 0..<stride { output.append(place == lane ? ascii[index] : 0) }
    }
  }
}

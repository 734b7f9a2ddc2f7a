/// Words of a grammar, in the format of libFuzzer and AFL: one `"word"` in each line, with `\\`, `\"` and `\xNN`.
package struct FuzzDictionary {
  package let words: [[UInt8]]

  package init(_ text: String) throws(OracleViolation) {
    var words: [[UInt8]] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let word = Self.word(Array(line.utf8)[...]) else { throw OracleViolation("no word of a dictionary: \(line)") }
      words.append(word)
    }
    self.words = words
  }

  private static func word(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    guard line.count > 2, line.first == quote, line.last == quote else { return nil }
    var rest = line.dropFirst().dropLast()
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        word.append(byte)
        continue
      }
      switch rest.popFirst() {
      case let escaped? where escaped == quote || escaped == UInt8(ascii: "\\"): word.append(escaped)
      case UInt8(ascii: "x"):
        guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
        word.append(value)
        rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return word
  }
}

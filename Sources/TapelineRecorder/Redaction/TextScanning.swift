extension StaticString {
  func octet(at offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < utf8CodeUnitCount, "an octet of the literal is asked for")
    return unsafe utf8Start[offset]
  }
}

extension Span<UInt8> {
  /// Whether `literal` stands at `start`, in just this spelling.
  func matches(_ literal: StaticString, at start: Int) -> Bool {
    guard start >= 0, count - start >= literal.utf8CodeUnitCount else { return false }
    for offset in 0..<literal.utf8CodeUnitCount where unsafe self[start + offset] != literal.utf8Start[offset] {
      return false
    }
    return true
  }

  func ends(with suffix: Span<UInt8>) -> Bool {
    guard count >= suffix.count else { return false }
    let start = count - suffix.count
    for index in suffix.indices where self[start + index] != suffix[index] {
      return false
    }
    return true
  }

  /// Where what `belongs` describes ends.
  func end(of belongs: (UInt8) -> Bool, from start: Int) -> Int {
    var index = start
    while index < count, belongs(self[index]) { index += 1 }
    return index
  }

  /// The name that ends before `end`, as parameters and attributes have them.
  func word(before end: Int) -> Range<Int> {
    var start = end
    while start > 0, end - start < 64, TokenShapes.isWord(self[start - 1]) || self[start - 1] == UInt8(ascii: ".") { start -= 1 }
    return start..<end
  }

  func skippingBlanks(from start: Int) -> Int {
    end(of: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }, from: start)
  }

  func skippingQuote(from start: Int) -> Int {
    start < count && (self[start] == UInt8(ascii: "\"") || self[start] == UInt8(ascii: "'")) ? start + 1 : start
  }

  /// `end` without the blanks before it.
  func endBeforeBlanks(_ end: Int) -> Int {
    var end = end
    while end > 0, self[end - 1] == 0x20 || self[end - 1] == 0x09 || self[end - 1] == 0x0A || self[end - 1] == 0x0D { end -= 1 }
    return end
  }

  func endOfLine(from start: Int) -> Int {
    end(of: { $0 != 0x0A && $0 != 0x0D }, from: start)
  }

  /// The end of a parameter's value, in whatever text the parameter stands.
  func endOfParameter(from start: Int) -> Int {
    end(
      of: { octet in
        switch octet {
        case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
          UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "`"):
          false
        default:
          true
        }
      }, from: start)
  }

  /// The end of a word of a command line, or of what stands in quotes.
  func endOfArgument(from start: Int, passesBlanks: Bool) -> Int {
    end(of: { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\"") && (passesBlanks || $0 != 0x20) }, from: start)
  }

  /// The end of the JSON array or object that begins at `start`; the end of the text when it is cut off.
  func endOfTree(from start: Int) -> Int {
    var depth = 0
    var isInString = false
    var index = start
    while index < count {
      switch self[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInString ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= isInString ? 0 : 1
        if depth == 0, !isInString { return index + 1 }
      default: break
      }
      index += 1
    }
    return count
  }
}

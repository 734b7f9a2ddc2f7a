/// The faults of a text that is nearly JSON and that our readers accept. Strict readers refuse them; our writers never make them.
struct JSONOddities: OptionSet, Sendable {
  let rawValue: UInt8

  /// Bytes that are not UTF-8: each sequence becomes U+FFFD.
  static let notUTF8 = JSONOddities(rawValue: 1)
  /// An escape that is half of a character, as browsers write it where they cut a text: it becomes U+FFFD.
  static let loneSurrogate = JSONOddities(rawValue: 2)
  /// A control character that should be an escape (RFC 8259, section 7).
  static let controlCharacter = JSONOddities(rawValue: 4)
  /// A value that is nested too deeply, and becomes null.
  static let tooDeep = JSONOddities(rawValue: 8)

  fileprivate var warnings: [HARReadWarning.Kind] {
    let kinds: [(JSONOddities, HARReadWarning.Kind)] = [
      (.notUTF8, .notUTF8), (.loneSurrogate, .loneSurrogate), (.controlCharacter, .controlCharacter), (.tooDeep, .tooDeep),
    ]
    return kinds.filter { contains($0.0) }.map(\.1)
  }
}

extension Span<UInt8> {
  /// Reports each place in a value where its reader must forgive something.
  ///
  /// - Parameter path: the place of the value.
  func findOddities(at path: HARPath, _ report: (HARReadWarning) -> Void) throws(HARReadError) {
    var isTold = false
    try withParser(range: 0..<count) { (parser) throws(HARReadError) in
      try parser.findOddities(at: path) { warning in
        isTold = isTold || warning.kind == .notUTF8
        report(warning)
      }
      // The name of a member.
      if !isTold, !parser.isUTF8(in: 0..<count) { report(HARReadWarning(path: path, kind: .notUTF8)) }
    }
  }
}

extension JSONParser {
  fileprivate mutating func findOddities(at path: HARPath, _ report: (HARReadWarning) -> Void) throws(HARReadError) {
    switch try peek() {
    case UInt8(ascii: "{"):
      if try skipTooDeep() { break }
      try readObject { (parser, name) throws(HARReadError) in
        let member = path[name.text]
        parser.tellOddities(at: member, report)
        try parser.findOddities(at: member, report)
      }
    case UInt8(ascii: "["):
      if try skipTooDeep() { break }
      var index = 0
      try readArray { (parser) throws(HARReadError) in
        try parser.findOddities(at: path[index], report)
        index += 1
      }
    case UInt8(ascii: "\""):
      let start = position + 1
      _ = try readString()
      if !isUTF8(in: start..<position - 1) { oddities.insert(.notUTF8) }
    default: try skipValue()
    }
    tellOddities(at: path, report)
  }

  private mutating func tellOddities(at path: HARPath, _ report: (HARReadWarning) -> Void) {
    for kind in oddities.warnings { report(HARReadWarning(path: path, kind: kind)) }
    oddities = []
  }
}

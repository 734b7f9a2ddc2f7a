extension HAREntry {
  /// The bytes of an entry with another `pageref` and otherwise unchanged; an entry that names no page stays so.
  package static func json(_ bytes: [UInt8], pageref: String) throws(HARReadError) -> [UInt8] {
    let place = try bytes.span.withParser(range: bytes.indices) { (parser) throws(HARReadError) in
      var place: Range<Int>?
      try parser.readObject { (parser, name) throws(HARReadError) in
        _ = try parser.peek()
        let start = parser.position
        try parser.skipValue()
        if name.matches("pageref") { place = start..<parser.position }
      }
      return place
    }
    guard let place else { return bytes }
    return bytes[..<place.lowerBound] + HARValue.string(pageref).json + bytes[place.upperBound...]
  }
}

/// Fields with the names that the user gave: `total,host,req.header["x"]`.
enum QueryFieldList {
  /// - Parameter additional: words that are not fields.
  static func parse(
    _ text: String, additional: Set<String> = []
  ) throws(QueryError) -> [(name: String, field: QueryField?)] {
    let characters = Array(text)
    var parser = try QueryParser(text)
    var fields: [(name: String, field: QueryField?)] = []
    repeat {
      if case .word(let word) = parser.token, additional.contains(word) {
        try parser.advance()
        fields.append((word, nil))
        continue
      }
      let start = parser.offset
      let field = try parser.field()
      let name = characters[start..<parser.offset]
      fields.append((String(name[...(name.lastIndex { !$0.isWhitespace } ?? start)]), field))
    } while try parser.take(.comma)
    guard parser.token == .end else { throw parser.failure("expected a comma", "write the fields as a,b,c") }
    return fields
  }
}

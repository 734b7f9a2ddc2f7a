internal import TapelineText

extension HeaderFields {
  package func firstIndex(of name: FieldName) -> Int? {
    guard knownNames.contains(name) else { return nil }
    return lines.firstIndex { $0.knownName == name }
  }

  package func contains(_ name: FieldName) -> Bool {
    knownNames.contains(name)
  }

  /// The value of the first line with this name.
  package func first(of name: FieldName) -> String? {
    firstIndex(of: name).map { value(at: $0) }
  }

  /// The values of all lines with this name, in order.
  package func values(of name: FieldName) -> [String] {
    indices.filter { lines[$0].knownName == name }.map { value(at: $0) }
  }

  /// The values of all lines with this name in any case, in order.
  package func values(named name: String) -> [String] {
    indices.filter { bytes.span.extracting(nameRange(at: $0)).equalsIgnoringCase(name.utf8.span) }.map { value(at: $0) }
  }

  /// Whether a comma-separated list (RFC 9110 5.6.1), over all lines of the field, has this member in any case.
  ///
  /// A member is compared up to its parameters: `trailers` is found in `TE: gzip, trailers;q=0.5`.
  package func listContains(token: String, in name: FieldName) -> Bool {
    guard let first = firstIndex(of: name) else { return false }
    for index in first..<count where lines[index].knownName == name {
      var members = ListMembers(of: valueRange(at: index))
      while let member = members.next(in: bytes.span) {
        if bytes.span.extracting(ListMembers.token(of: member, in: bytes.span)).equalsIgnoringCase(token.utf8.span) {
          return true
        }
      }
    }
    return false
  }
}

/// Iterates over the members of a comma-separated list without copying: ranges, blanks trimmed, empty members left out.
struct ListMembers {
  private var rest: Range<Int>

  init(of value: Range<Int>) {
    rest = value
  }

  mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    while !rest.isEmpty {
      var end = rest.lowerBound
      while end < rest.upperBound, bytes[end] != Byte.comma { end += 1 }
      let member = bytes.trimmed(rest.lowerBound..<end)
      rest = min(end + 1, rest.upperBound)..<rest.upperBound
      if !member.isEmpty { return member }
    }
    return nil
  }

  /// A member without its parameters.
  static func token(of member: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
    var end = member.lowerBound
    while end < member.upperBound, bytes[end] != Byte.semicolon { end += 1 }
    return bytes.trimmed(member.lowerBound..<end)
  }
}

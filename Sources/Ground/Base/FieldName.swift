extension String {
  /// Equal but for the case of ASCII letters, as the names of fields are (RFC 9110, section 5.1).
  public func isSameName(as other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0 == $1 || Byte.lowercased($0) == Byte.lowercased($1) }
  }
}

/// Whether text given by others may stand in a field line: checked before a line of our own is made of it.
package enum FieldSyntax {
  /// field-name (RFC 9110 5.1).
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(OctetSet.token.contains)
  }

  /// field-value (RFC 9110 5.5): no line end, no NUL, and no other control octet but HTAB.
  package static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= Octet.space && $0 != Octet.delete) || $0 == Octet.tab }
  }
}

internal import TapelineText

/// Whether text from others may go into a field line: checked before tapeline writes a line with it.
package enum FieldSyntax {
  /// field-name (RFC 9110 5.1).
  package static func isName(_ text: String) -> Bool {
    text.isToken
  }

  /// field-value (RFC 9110 5.5): no line end, no NUL, and no other control byte but HTAB.
  package static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= Byte.space && $0 != Byte.delete) || $0 == Byte.tab }
  }
}

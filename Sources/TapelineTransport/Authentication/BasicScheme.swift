internal import TapelineText

/// The Basic scheme (RFC 7617).
package enum BasicScheme {
  /// The value of an `Authorization` field. The text is UTF-8, the only value of the scheme's charset parameter (RFC 7617 2.1).
  ///
  /// `nil` when the scheme cannot express the credential: a colon in the user's name, or a control character (RFC 7617 2).
  package static func fieldValue(for credential: Credential) -> String? {
    guard !credential.user.utf8.contains(UInt8(ascii: ":")),
      !credential.user.unicodeScalars.contains(where: isControl), !credential.password.unicodeScalars.contains(where: isControl)
    else { return nil }
    return "Basic \(Base64.encode(Array("\(credential.user):\(credential.password)".utf8)))"
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}

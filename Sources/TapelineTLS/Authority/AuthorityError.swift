/// Why there is no authority, or no certificate from it: the operation that failed, the reason, and the remedy.
package struct AuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// There is no authority in the directory.
    case missing
    /// There is a key without a certificate, or a certificate without a key.
    case incomplete
    /// The key and the certificate do not match.
    case mismatch
    /// Others could read the key, or replace it.
    case insecurePermissions
    /// The directory belongs to another user.
    case foreign
    case expired
    case notYetValid
    /// tapeline did not write these files.
    case unusable
    /// No certificate can be made for this host name.
    case hostName
    /// The system refused a file operation.
    case file
    /// OpenSSL refused.
    case cryptography
  }

  package let kind: Kind
  package let what: String
  package let why: String
  package let remedy: String

  package init(_ kind: Kind, what: String, why: String, remedy: String) {
    self.kind = kind
    self.what = what
    self.why = why
    self.remedy = remedy
  }

  /// `<what>: <why>; <what to do>`, the form of all our messages.
  package var description: String {
    "\(what): \(why); \(remedy)"
  }
}

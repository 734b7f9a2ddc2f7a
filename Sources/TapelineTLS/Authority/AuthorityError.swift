/// Why there is no authority, or no certificate of it: what failed, why, and what a person does about it.
package struct AuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// There is no authority in the directory.
    case missing
    /// There is a key without a certificate, or a certificate without a key.
    case incomplete
    /// Key and certificate do not belong together.
    case mismatch
    /// Others could read the key, or put files of theirs in its place.
    case insecurePermissions
    /// The directory belongs to another user.
    case foreign
    case expired
    case notYetValid
    /// The files are not what tapeline writes.
    case unusable
    /// No certificate can be made for that host name.
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

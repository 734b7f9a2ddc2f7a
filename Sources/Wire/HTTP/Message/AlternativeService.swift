internal import TapelineBase

/// Another place of an origin, as `Alt-Svc` names it (RFC 7838 3).
package struct AlternativeService: Hashable, Sendable {
  /// As in ALPN, e.g. `h3`; percent-encoded.
  package let `protocol`: String
  /// `host:port`, or `:port` at the origin's own host.
  package let authority: String
  /// For how many seconds it holds; `nil` if the field does not say, which means a day.
  package let maxAge: UInt64?

  /// The services that values of the field name, in order; empty if they take back what was named (`clear`).
  package static func list(_ values: [String]) -> [AlternativeService] {
    values.flatMap(members).compactMap(AlternativeService.init)
  }

  /// `nil` for `clear` and what is malformed.
  private init?(_ member: Substring) {
    let name = member.prefix { $0 != "=" && $0 != ";" }
    let words = FieldParameters(";\(member)")
    guard member.dropFirst(name.count).first == "=", let first = words.parameters.first else { return nil }
    `protocol` = String(name.drop { $0 == " " || $0 == "\t" })
    authority = first.value
    maxAge = words["ma"].flatMap { UInt64($0) }
  }

  /// The members of a list: a comma inside quotes ends none.
  private static func members(_ value: String) -> [Substring] {
    var isQuoted = false
    return value.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }
}

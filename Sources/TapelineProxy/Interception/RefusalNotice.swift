/// A client's refusal of our certificate, told to a person once.
package struct RefusalNotice: Sendable, Hashable {
  package enum Consequence: Sendable, Hashable {
    /// The next connection is intercepted again.
    case none
    /// As `none`, but a second refusal within a minute will have the client passed through.
    case suspicion
    /// The client is passed through to the host.
    case passedThrough
  }

  package let host: String
  /// The name of the program, or the client's address.
  package let client: String
  /// The alert, or that the client hung up.
  package let refusal: String
  package let consequence: Consequence

  package init(host: String, client: String, refusal: String, consequence: Consequence) {
    self.host = host
    self.client = client
    self.refusal = refusal
    self.consequence = consequence
  }
}

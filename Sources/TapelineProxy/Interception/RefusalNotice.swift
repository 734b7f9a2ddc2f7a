/// That a client has refused our certificate: what a person should know of it, once.
package struct RefusalNotice: Sendable, Hashable {
  package enum Consequence: Sendable, Hashable {
    /// The next connection is intercepted again.
    case none
    /// As `none`, and a second refusal within a minute will have it passed through.
    case suspicion
    /// The client is passed through to the host.
    case passedThrough
  }

  package let host: String
  /// Of the program, or where the client is.
  package let client: String
  /// By which alert, or that it hung up.
  package let refusal: String
  package let consequence: Consequence

  package init(host: String, client: String, refusal: String, consequence: Consequence) {
    self.host = host
    self.client = client
    self.refusal = refusal
    self.consequence = consequence
  }
}

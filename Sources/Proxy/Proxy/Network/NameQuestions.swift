/// Counts of the questions for names that a command's programs have sent by UDP.
package struct NameQuestions: Sendable, Hashable {
  /// Why a name has no address.
  package enum Failure: Sendable, Hashable {
    /// The code of an answer (RFC 1035 4.1.1): 3 for a name that does not exist.
    case code(UInt8)
    /// No answer came.
    case unanswered
    /// The rules forbid its name server.
    case denied
  }

  package private(set) var asked = 0
  package private(set) var answered = 0
  /// Datagrams to or from port 53 that are no question and no answer to one, and were not passed on.
  package private(set) var refused = 0
  /// The names that have failed, by what was said last; a name that got an address later is not among them.
  package private(set) var failures: [String: Failure] = [:]

  /// Names that are kept.
  private static let limit = 100

  package init() {}

  package mutating func ask() {
    asked += 1
  }

  package mutating func refuse() {
    refused += 1
  }

  /// The question is not passed on.
  package mutating func deny(_ name: String) {
    fail(name, .denied)
  }

  /// - Parameters:
  ///   - name: `nil` if the answer cannot be read.
  ///   - code: of the answer.
  package mutating func answer(_ name: String?, code: UInt8, hasAddresses: Bool) {
    answered += 1
    guard let name else { return }
    if hasAddresses {
      failures[name] = nil
    } else if code != 0 {
      fail(name, .code(code))
    }
  }

  /// No answer came, or will.
  package mutating func miss(_ name: String) {
    fail(name, .unanswered)
  }

  private mutating func fail(_ name: String, _ failure: Failure) {
    if failures[name] != nil || failures.count < Self.limit { failures[name] = failure }
  }
}

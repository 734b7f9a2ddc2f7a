internal import _StringProcessing

/// A regular expression in Swift's syntax, which is mostly that of Perl and of UTS 18.
///
/// Safety: `@unchecked Sendable` because `Regex` is a value that never changes after its creation; the standard library does
/// not say so only because its output may be anything.
struct RegularExpression: @unchecked Sendable {
  struct Malformed: Error {
    let reason: String
  }

  private let regex: Regex<AnyRegexOutput>

  init(_ text: String) throws(Malformed) {
    do {
      regex = try Regex(text)
    } catch {
      throw Malformed(reason: "\(error)")
    }
  }

  func isFound(in text: String) -> Bool {
    text.firstMatch(of: regex) != nil
  }
}

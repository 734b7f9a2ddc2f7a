internal import Synchronization
internal import _StringProcessing

/// A pattern that texts are compared with: made once per query, used once per exchange.
package struct TextPattern: Sendable {
  private enum Form: Sendable {
    /// A pattern without wildcards: searched for as it is.
    case literal([UInt8])
    case expression(RegularExpression)
    /// `*` for any characters, `?` for one; the whole text must match.
    case glob([Character])
  }

  private let form: Form

  /// A regular expression that may match anywhere in the text.
  init(regularExpression text: String) throws(RegularExpression.Malformed) {
    if text.contains(where: { #"\^$.|?*+()[]{}"#.contains($0) }) {
      form = .expression(try RegularExpression(text))
    } else {
      form = .literal(Array(text.utf8))
    }
  }

  package init(glob text: String) {
    form = .glob(Array(text))
  }

  package func matches(_ text: String) -> Bool {
    switch form {
    case .literal(let literal): Self.contains(text.utf8Span.span, literal)
    case .expression(let expression): expression.isFound(in: text)
    case .glob(let pattern): Self.fits(Array(text), pattern)
    }
  }

  private static func contains(_ text: Span<UInt8>, _ pattern: [UInt8]) -> Bool {
    guard let first = pattern.first else { return true }
    guard text.count >= pattern.count else { return false }
    for start in 0...(text.count - pattern.count) where text[start] == first {
      if pattern.indices.allSatisfy({ text[start + $0] == pattern[$0] }) { return true }
    }
    return false
  }

  /// At worst, takes time proportional to the product of the lengths: only the last star is tried again.
  private static func fits(_ text: [Character], _ pattern: [Character]) -> Bool {
    var textIndex = 0
    var patternIndex = 0
    var retry: (pattern: Int, text: Int)?
    while textIndex < text.count {
      if patternIndex < pattern.count, pattern[patternIndex] == "*" {
        retry = (patternIndex + 1, textIndex)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == "?" || pattern[patternIndex] == text[textIndex] {
        patternIndex += 1
        textIndex += 1
      } else if let (afterStar, from) = retry {
        retry = (afterStar, from + 1)
        patternIndex = afterStar
        textIndex = from + 1
      } else {
        return false
      }
    }
    return pattern[patternIndex...].allSatisfy { $0 == "*" }
  }
}

/// A regular expression in Swift's syntax, which is mostly that of Perl and of UTS 18.
///
/// `Regex` is not `Sendable`, because its output may be anything, hence the lock.
final class RegularExpression: Sendable {
  struct Malformed: Error {
    let reason: String
  }

  private let regex: Mutex<Regex<AnyRegexOutput>>

  init(_ text: String) throws(Malformed) {
    do {
      regex = Mutex(try Regex(text))
    } catch {
      throw Malformed(reason: "\(error)")
    }
  }

  func isFound(in text: String) -> Bool {
    regex.withLock { text.firstMatch(of: $0) != nil }
  }
}

internal import TapelineBase

/// A metric by which a server says where its time went, from a `Server-Timing` field (W3C Server Timing, 2):
/// `db;dur=53.2;desc="orders"`.
package struct ServerTiming: Hashable, Sendable {
  /// A token, spelled as it came.
  package let name: String
  /// In milliseconds; `nil` if the server gave none, or something else than a number from 0 on.
  package let duration: Double?
  package let description: String?

  /// The metrics of one field value, in its order. An element without a token at its beginning is left out, and of several
  /// parameters with one name the first counts, as the section says.
  package static func metrics(in value: String) -> [ServerTiming] {
    elements(of: value).compactMap(ServerTiming.init)
  }

  private init?(_ element: Substring) {
    let field = FieldParameters(String(element))
    guard field.value.isToken else { return nil }
    name = field.value
    duration = field["dur"].flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    description = field["desc"]
  }

  /// Cuts a list at its commas (RFC 9110 5.6.1), but not within quotation marks (5.6.4).
  private static func elements(of list: String) -> [Substring] {
    var elements: [Substring] = []
    var start = list.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in list.utf8.indices {
      switch list.utf8[index] {
      case _ where isEscaped: isEscaped = false
      case Byte.backslash: isEscaped = isQuoted
      case Byte.quote: isQuoted.toggle()
      case Byte.comma where !isQuoted:
        elements.append(list[start..<index])
        start = list.utf8.index(after: index)
      default: break
      }
    }
    return elements + [list[start...]]
  }
}

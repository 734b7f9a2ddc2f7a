internal import TapelineBase

/// The words of a command line without the quotes that a shell takes away, each in a line of its own, as its program reads them.
///
/// A secret may be in a program that is an argument: in `python3 -c 'a={'\''token'\'':'\''x'\''}'` the quotes for the shell
/// stand between the name and the value. A title that is no command has no quotes, or quotes that do not end: both do no harm.
struct UnquotedCommand {
  private(set) var bytes: [UInt8] = []
  private var places: [Place] = []

  /// Where a byte is in the command line, with the backslash before it.
  private struct Place {
    let range: Range<Int>
    let quotes: Quotes
  }

  private enum Quotes {
    case none
    case single
    case double
    /// `$'…'`, in which a backslash has a meaning.
    case dollar

    var mark: UInt8? {
      switch self {
      case .none: nil
      case .single, .dollar: UInt8(ascii: "'")
      case .double: UInt8(ascii: "\"")
      }
    }

    func isEscape(_ next: UInt8) -> Bool {
      switch self {
      case .none, .dollar: true
      case .single: false
      case .double: "\"\\$`".utf8.contains(next)
      }
    }
  }

  /// `nil` when nothing in the text is quoted.
  init?(_ text: Span<UInt8>) {
    guard text.end(of: { !Self.marks.contains($0) }, from: 0) < text.count else { return nil }
    var quotes = Quotes.none
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\\") where index + 1 < text.count && quotes.isEscape(text[index + 1]):
        append(text[index + 1], from: index..<index + 2, in: quotes)
        index += 1
      case UInt8(ascii: "'") where quotes == .none:
        quotes = index > 0 && text[index - 1] == UInt8(ascii: "$") ? .dollar : .single
      case UInt8(ascii: "\"") where quotes == .none:
        quotes = .double
      case _ where byte == quotes.mark:
        quotes = .none
      case 0x20 where quotes == .none:
        append(0x0A, from: index..<index + 1, in: quotes)
      default:
        append(byte, from: index..<index + 1, in: quotes)
      }
      index += 1
    }
  }

  private mutating func append(_ byte: UInt8, from range: Range<Int>, in quotes: Quotes) {
    bytes.append(byte)
    places.append(Place(range: range, quotes: quotes))
  }

  /// Where the bytes of `range`, which is not empty, are in the command line.
  func place(of range: Range<Int>) -> Range<Int> {
    places[range.lowerBound].range.lowerBound..<places[range.upperBound - 1].range.upperBound
  }

  /// The marks without which a command line that loses `range` would have quotes that do not end, or that do not begin.
  func marks(insteadOf range: Range<Int>) -> [UInt8] {
    let (first, last) = (places[range.lowerBound].quotes, places[range.upperBound - 1].quotes)
    return first == last ? [] : [first.mark, last.mark].compactMap(\.self)
  }

  private static let marks = ByteSet("'\"\\")
}

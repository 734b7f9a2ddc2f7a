internal import TapelineBase

/// A line of comma-separated values (RFC 4180).
package enum CSVLine {
  /// The reader of the line.
  package struct Style: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// A spreadsheet: a text that it would read as a formula begins with an apostrophe.
    package static let spreadsheet = Style(rawValue: 1)
    /// A terminal: no cell contains terminal control characters.
    package static let terminal = Style(rawValue: 2)
  }

  package static func text(of cells: [String], _ style: Style) -> String {
    cells.map { quoted(shown($0, style)) }.joined(separator: ",") + "\r\n"
  }

  private static func shown(_ cell: String, _ style: Style) -> String {
    let safe = style.contains(.spreadsheet) && isFormula(cell) ? "'\(cell)" : cell
    return style.contains(.terminal) ? safe.printable : safe
  }

  /// Spreadsheets evaluate cells that begin with these characters, and skip spaces before them. A number is not a formula.
  private static func isFormula(_ cell: String) -> Bool {
    guard let first = cell.unicodeScalars.first(where: { $0 != " " }) else { return false }
    guard "=+-@\t\r\n".unicodeScalars.contains(first) else { return false }
    return !cell.utf8.allSatisfy(ofNumber.contains) || Double(cell) == nil
  }

  private static let ofNumber = ByteSet("0123456789+-.eE")

  /// A cell with a comma, a quote or a line break is put in quotes, and its own quotes are doubled.
  private static func quoted(_ cell: String) -> String {
    guard cell.utf8.contains(where: special.contains) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private static let special = ByteSet(",\"\r\n")
}

/// A line of comma-separated values (RFC 4180).
package enum CSVLine {
  package static func text(of cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  /// A cell with a comma, a quote or a line break stands between quotes, and quotes in it are doubled.
  private static func quoted(_ cell: String) -> String {
    guard cell.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

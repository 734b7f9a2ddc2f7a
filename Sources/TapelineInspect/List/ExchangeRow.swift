/// A row of the table of exchanges, as long as it is not known what the line above says.
package struct ExchangeRow: Sendable {
  /// The cells before and behind that of the URL, with the blanks between; all of them where there is none.
  let head: String
  let tail: String
  let place: RequestPlace?
  /// In cells.
  let placeWidth: Int
  /// The day and its distance from UTC, where the row tells the time of day: `2026-01-02 +01:00`.
  let day: String?

  /// - Parameter origin: what the line above names.
  func line(under origin: String?) -> String {
    guard let place else { return (head + tail).withoutBlanksAtEnd }
    return (head + place.text(under: origin, width: placeWidth).padded(to: placeWidth) + tail).withoutBlanksAtEnd
  }
}

extension String {
  /// Blanks at the end of a line would only make a narrow terminal wrap.
  var withoutBlanksAtEnd: String {
    var line = self
    while line.last == " " { line.removeLast() }
    return line
  }
}

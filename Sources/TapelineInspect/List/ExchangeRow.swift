/// A row of the table of exchanges, before it is known what the line above names.
package struct ExchangeRow: Sendable {
  /// The cells before and after the URL's cell, with the blanks between. Without a URL, they are all cells.
  let head: String
  let tail: String
  let place: RequestPlace?
  /// In cells.
  let placeWidth: Int
  /// The day and the offset from UTC, if the row has a time of day: `2026-01-02 +01:00`.
  let day: String?

  /// - Parameter origin: the origin that the line above names.
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

internal import TapelineHAR

/// The events of an event stream, one per line: arrival time, id, name and data.
enum EventStreamText {
  private static let timeWidth = 7
  private static let idWidth = 16
  private static let nameWidth = 20
  private static let dataWidth = 20

  /// Empty if the response is not an event stream or has no events.
  static func lines(of entry: HAREntry, width: Int, palette: Palette, limit: Int) -> [String] {
    guard let stream = RecordedEvents(entry), !stream.events.isEmpty else { return [] }
    let shown = stream.events.prefix(limit)
    let ids = shown.map { $0.event.id.printable.elided(to: idWidth) }
    let names = shown.map { $0.event.name.printable.elided(to: nameWidth) }
    let widths = [ids, names].map { $0.map(\.cellCount).max() ?? 0 }
    let room = max(dataWidth, width - timeWidth - widths.reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) } - 3)
    var lines = zip(shown, zip(ids, names)).map { event, texts in
      let time = (event.time.map(DurationText.compact) ?? "-").rightAligned(to: timeWidth)
      let id = widths[0] > 0 ? palette.apply(.dim, to: texts.0.padded(to: widths[0])) + " " : ""
      let data = event.event.data.replacing("\n", with: palette.isUnicode ? "⏎" : " ").printable.elided(to: room)
      return "\(time) \(id)\(palette.apply(.cyan, to: texts.1.padded(to: widths[1]))) \(data)"
    }
    if stream.events.count > limit {
      lines.append(note("… \(stream.events.count - limit) more events; --body prints all", palette))
    }
    if stream.isUnfinished { lines.append(note("the stream ends in the middle of an event", palette)) }
    return lines
  }

  private static func note(_ text: String, _ palette: Palette) -> String {
    palette.apply(.dim, to: "(\(text))")
  }
}

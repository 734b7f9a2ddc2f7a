/// Writes a HAR of any size entry by entry; it holds one entry and one piece.
///
/// ```swift
/// var writer = HARWriter(HARLog(creator: creator, pages: pages)) { piece throws(FileError) in try file.write(piece) }
/// try writer.write(entry)
/// try writer.finish()
/// ```
///
/// Each entry has its own line. Without `finish()` the text has no end and is not JSON.
public struct HARWriter<Failure: Error>: ~Copyable {
  private let sink: (Span<UInt8>) throws(Failure) -> Void
  private var text = JSONWriter(capacity: 128 << 10)
  private let hasPages: Bool
  private var hasEntries = false

  /// The bytes of text that are gathered before the sink gets them.
  private static var pieceSize: Int { 64 << 10 }

  /// - Parameters:
  ///   - log: the text before the entries; its own entries are ignored.
  ///   - withPages: `false` leaves `pages` to `finish`, for a log whose pages are known only at its end.
  ///   - sink: takes the next bytes of the text. They are lent for the call.
  public init(_ log: HARLog, withPages: Bool = true, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    self.sink = sink
    hasPages = withPages
    HARFraming.open(log, withPages: withPages, in: &text)
  }

  /// Writes the next entry.
  public mutating func write(_ entry: HAREntry) throws(Failure) {
    separate()
    text.append(entry: entry)
    try giveAway(from: Self.pieceSize)
  }

  /// Writes the next entry from the bytes of an entry, unchanged except that line breaks become blanks: in JSON, no line break is
  /// inside of a value. The bytes are not checked.
  public mutating func write(json entry: Span<UInt8>) throws(Failure) {
    separate()
    let start = text.count
    text.append(json: entry)
    text.replaceLineBreaks(from: start)
    try giveAway(from: Self.pieceSize)
  }

  /// Writes the text after the last entry.
  ///
  /// - Parameters:
  ///   - pages: for a log that was begun without its pages.
  ///   - custom: members of the log that are known only now.
  public consuming func finish(pages: [HARPage] = [], custom: HARObject = [:]) throws(Failure) {
    HARFraming.close(pages: hasPages ? nil : pages, custom: custom, in: &text)
    try giveAway(from: 0)
  }

  private mutating func separate() {
    if hasEntries { HARFraming.separate(in: &text) }
    hasEntries = true
  }

  private mutating func giveAway(from size: Int) throws(Failure) {
    guard text.count >= size else { return }
    try text.withBytes(sink)
    text.truncate(to: 0)
  }
}

internal import TapelineBase
internal import TapelineHAR

extension DecodedEvents {
  /// A JSON text per line. An empty line says that the server is there; the last line may lack its end.
  init(jsonLines bytes: [UInt8]) {
    var start = 0
    while let end = bytes[start...].firstIndex(of: Byte.lineFeed) {
      append(bytes[start..<end], to: end + 1)
      start = end + 1
    }
    appendLast(bytes[start...])
  }

  /// JSON texts of several lines, each behind a record separator (RFC 7464 2.1).
  init(jsonSequence bytes: [UInt8]) {
    let separator: UInt8 = 0x1E
    guard var start = bytes.firstIndex(of: separator) else {
      isUnfinished = !bytes.isEmpty
      return
    }
    while let end = bytes[(start + 1)...].firstIndex(of: separator) {
      append(bytes[(start + 1)..<end], to: end)
      start = end
    }
    // A text with its line feed is whole: numbers have no other end (RFC 7464 2.4).
    let last = bytes[(start + 1)...]
    if last.last == Byte.lineFeed { append(last, to: bytes.count) } else { appendLast(last) }
  }

  private mutating func append(_ line: ArraySlice<UInt8>, to end: Int) {
    let text = line.withoutBlanks
    guard !text.isEmpty else { return }
    events.append(StreamEvent(size: end - self.end, end: end, name: "record", data: text, hasContent: true))
  }

  /// A last record without an end is an event if it is a whole JSON text.
  private mutating func appendLast(_ rest: ArraySlice<UInt8>) {
    let text = rest.withoutBlanks
    guard !text.isEmpty else { return }
    if (try? HARValue(json: Array(text).span)) != nil { append(rest, to: rest.endIndex) } else { isUnfinished = true }
  }
}

extension ArraySlice<UInt8> {
  /// Without the blanks of JSON at either end.
  fileprivate var withoutBlanks: ArraySlice<UInt8> {
    let start = drop(while: JSONBytes.isWhiteSpace)
    return start.dropLast(start.reversed().prefix(while: JSONBytes.isWhiteSpace).count)
  }
}

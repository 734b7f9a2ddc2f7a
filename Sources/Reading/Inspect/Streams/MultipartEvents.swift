internal import TapelineBase

extension DecodedEvents {
  /// The parts of `multipart/x-mixed-replace`. A part with `Content-Length` ends with its content; any other one ends where the
  /// next delimiter does, which may come much later.
  init(parts bytes: [UInt8], boundary: [UInt8]) {
    let delimiter = Array("--".utf8) + boundary
    var start = 0
    while let line = bytes.span.first(delimiter: delimiter, from: start) {
      let behind = line + delimiter.count
      // Two hyphens behind the last delimiter.
      if bytes[behind...].starts(with: "--".utf8) { return }
      guard let head = PartHead(bytes, from: behind) else { break }
      let next = bytes.span.first(delimiter: delimiter, from: head.end)
      let announced = head.length.map { head.end + $0 }
      if let end = announced, end <= bytes.count, next.map({ $0 + delimiter.count > end }) ?? true {
        append(bytes[head.end..<end], head, to: end)
        start = end
      } else if let next {
        append(bytes[head.end..<max(head.end, bytes.span.endBeforeLineEnd(next))], head, to: next + delimiter.count)
        start = next
      } else {
        break
      }
    }
    isUnfinished = bytes[end...].contains { $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
  }

  private mutating func append(_ content: ArraySlice<UInt8>, _ head: PartHead, to end: Int) {
    let size = end - self.end
    events.append(StreamEvent(size: size, end: end, name: head.type, data: content, hasContent: !content.isEmpty))
  }
}

/// The fields of a part.
private struct PartHead {
  /// Behind the empty line.
  let end: Int
  private(set) var type = "text/plain"
  private(set) var length: Int?

  init?(_ bytes: [UInt8], from start: Int) {
    // Behind the delimiter's own line.
    guard let own = bytes[start...].firstIndex(of: Byte.lineFeed) else { return nil }
    var rest = bytes[(own + 1)...]
    while let line = rest.firstIndex(of: Byte.lineFeed) {
      let text = String(decoding: rest[..<line], as: UTF8.self).filter { $0 != "\r" }
      rest = rest[(line + 1)...]
      if text.isEmpty {
        end = rest.startIndex
        return
      }
      let field = text.split(separator: ":", maxSplits: 1).map { $0.filter { $0 != " " } }
      guard field.count == 2 else { continue }
      switch field[0].lowercased() {
      case "content-type": type = field[1]
      case "content-length": length = Int(field[1]).flatMap { $0 >= 0 && $0 < Int(Int32.max) ? $0 : nil }
      default: break
      }
    }
    return nil
  }
}

import TapelineBase

extension SeededGenerator {
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }

  /// Lines of every kind in every order, with every end.
  mutating func eventStream() -> [UInt8] {
    let texts = ["", " ", "x", " x", "  two", "é", "😀", ":", "a:b", "{\"a\": 1}", "[DONE]", "\u{0}", "\u{FEFF}", "7"]
    let names = ["data", "data", "data", "data", "event", "id", "retry", "", "other", "Data", "\u{FEFF}data"]
    let ends = ["\n", "\r", "\r\n"]
    let usual = pick(ends)
    var stream = next(below: 3) == 0 ? "\u{FEFF}" : ""
    for _ in 0..<next(below: 24) {
      let end = next(below: 4) == 0 ? pick(ends) : usual
      switch next(below: 8) {
      case 0...2: stream += end
      case 3: stream += pick(names) + end
      case _: stream += pick(names) + ":" + pick(texts) + end
      }
    }
    var bytes = Array(stream.utf8)
    // A body that was cut, in the middle of a character, too.
    if next(below: 3) == 0 { bytes.removeLast(next(below: bytes.count + 1)) }
    return bytes
  }
}

/// Reads an event stream by the letter of HTML, section 9.2.6: a line after the other, with the buffers that it names.
enum StandardReader {
  /// `[id, name, data]` of each event.
  static func events(of bytes: [UInt8]) -> [[String]] {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var (data, name, lastID, events) = ([UInt8](), "", "", [[String]]())
    for line in lines(of: Array(rest)) {
      guard !line.isEmpty else {
        if !data.isEmpty {
          if data.last == 10 { data.removeLast() }
          events.append([lastID, name.isEmpty ? "message" : name, String(decoding: data, as: UTF8.self)])
        }
        (data, name) = ([], "")
        continue
      }
      if line[0] == 58 { continue }
      let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
      var value = parts.count > 1 ? parts[1] : []
      if value.first == 32 { value.removeFirst() }
      switch String(decoding: parts[0], as: UTF8.self) {
      case "event": name = String(decoding: value, as: UTF8.self)
      case "data": data += value + [10]
      case "id": if !value.contains(0) { lastID = String(decoding: value, as: UTF8.self) }
      case _: break
      }
    }
    return events
  }

  /// The lines that have an end.
  private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
    var (lines, line, isAfterReturn) = ([[UInt8]](), [UInt8](), false)
    for byte in bytes {
      defer { isAfterReturn = byte == 13 }
      if byte == 10, isAfterReturn { continue }
      if byte == 10 || byte == 13 {
        lines.append(line)
        line = []
      } else {
        line.append(byte)
      }
    }
    return lines
  }
}

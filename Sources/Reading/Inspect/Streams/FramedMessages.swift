internal import TapelineBase
internal import TapelineHTTP

extension DecodedEvents {
  /// Messages behind a flag and four bytes of length ("gRPC over HTTP2", Length-Prefixed-Message). Bit 0 of the flag says that a
  /// message is compressed; bit 7 (gRPC-Web) and bit 1 (Connect) mark the last one, which has trailers.
  init(prefixed bytes: [UInt8], isSent: Bool = false) {
    let prefix = 5
    var start = 0
    while start + prefix <= bytes.count {
      let flag = bytes[start]
      let size = bytes.number(at: start + 1, count: 4)
      guard flag & 0x7C == 0, size <= Int(Int32.max) else { break }
      let end = start + prefix + size
      guard end <= bytes.count else { break }
      let isTrailers = flag & 0x82 != 0
      events.append(
        StreamEvent(
          size: end - start, end: end, isSent: isSent, name: isTrailers ? "trailers" : "message",
          data: bytes[(start + prefix)..<end], isCompressed: flag & 1 != 0, hasContent: !isTrailers && size > 0))
      start = end
    }
    isUnfinished = start < bytes.count
  }

  /// The content of gRPC-Web in base64: the bytes that it stands for.
  static func bytes(ofWebText text: [UInt8]) -> [UInt8] {
    var digits = Base64Digits()
    var bytes: [UInt8] = []
    _ = digits.decode(text.span, into: &bytes)
    return bytes
  }

  /// `application/vnd.amazon.eventstream`: the length of all, that of the headers, and a checksum; headers, payload, a checksum.
  init(amazon bytes: [UInt8]) {
    let (prelude, checksum) = (12, 4)
    var start = 0
    while start + prelude <= bytes.count {
      let size = bytes.number(at: start, count: 4)
      let headersSize = bytes.number(at: start + 4, count: 4)
      guard size >= prelude + headersSize + checksum, start + size <= bytes.count else { break }
      let payload = (start + prelude + headersSize)..<(start + size - checksum)
      let headers = AmazonHeaders(bytes[(start + prelude)..<payload.lowerBound])
      let isEvent = headers[":message-type"] ?? "event" == "event"
      events.append(
        StreamEvent(
          size: size, end: start + size,
          name: headers[":event-type"] ?? headers[":exception-type"] ?? headers[":message-type"] ?? "message",
          data: bytes[payload], hasContent: isEvent && !payload.isEmpty))
      start += size
    }
    isUnfinished = start < bytes.count
  }
}

/// The headers of an event that are text.
private struct AmazonHeaders {
  private var texts: [String: String] = [:]

  /// The bytes of a value by its type; a missing one has two bytes of length.
  private static let sizes: [UInt8: Int] = [0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16]
  private static let text: UInt8 = 7

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let nameSize = rest.popFirst(), rest.count > Int(nameSize) {
      let name = String(decoding: rest.prefix(Int(nameSize)), as: UTF8.self)
      rest = rest.dropFirst(Int(nameSize))
      guard let type = rest.popFirst() else { return }
      var size = Self.sizes[type] ?? 0
      if Self.sizes[type] == nil {
        guard rest.count >= 2 else { return }
        size = Array(rest).number(at: 0, count: 2)
        rest = rest.dropFirst(2)
      }
      guard rest.count >= size else { return }
      if type == Self.text { texts[name] = String(decoding: rest.prefix(size), as: UTF8.self) }
      rest = rest.dropFirst(size)
    }
  }

  subscript(name: String) -> String? { texts[name] }
}

extension [UInt8] {
  /// A number of up to four bytes, the highest first.
  fileprivate func number(at start: Int, count: Int) -> Int {
    self[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

internal import TapelineBase
internal import TapelineHTTP

extension DecodedEvents {
  /// Messages behind a flag and four bytes of length ("gRPC over HTTP2", Length-Prefixed-Message). Bit 0 of the flag says that a
  /// message is compressed; bit 7 (gRPC-Web) and bit 1 (Connect) mark the last one, which has trailers.
  init(prefixed bytes: [UInt8]) {
    let prefix = 5
    var start = 0
    while start + prefix <= bytes.count {
      let flag = bytes[start]
      let size = bytes[start + 1..<start + prefix].number
      guard flag & 0x7C == 0, size <= Int(Int32.max) else { break }
      let end = start + prefix + size
      guard end <= bytes.count else { break }
      let isTrailers = flag & 0x82 != 0
      events.append(
        StreamEvent(
          size: end - start, end: end, name: isTrailers ? "trailers" : "message",
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
      let size = bytes[start..<start + 4].number
      let headersSize = bytes[start + 4..<start + 8].number
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
    while let nameSize = rest.popFirst(), let name = rest.take(Int(nameSize)), let type = rest.popFirst(),
      let size = Self.sizes[type] ?? rest.take(2)?.number, let value = rest.take(size)
    {
      if type == Self.text { texts[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self) }
    }
  }

  subscript(name: String) -> String? { texts[name] }
}

extension ArraySlice<UInt8> {
  /// A number of up to four bytes, the highest first.
  fileprivate var number: Int { reduce(0) { $0 << 8 | Int($1) } }

  /// Takes so many bytes; `nil`, with nothing taken, if there are fewer.
  mutating func take(_ size: Int) -> ArraySlice<UInt8>? {
    guard size <= count else { return nil }
    defer { self = dropFirst(size) }
    return prefix(size)
  }
}

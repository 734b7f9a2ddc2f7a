internal import TapelineBase

/// Reads one direction of an HTTP/2 connection that others have with each other: frames in, events out. It judges nothing.
///
/// It must see the direction from its first byte, because header compression has a memory.
package struct HTTP2Observer {
  package enum Event: Sendable {
    /// A whole header block. `wireSize` is its size, compressed, without padding and frame headers.
    case headers(HTTP2StreamID, HTTP2HeaderList, wireSize: Int, endsStream: Bool)
    /// Content, without padding.
    case data(HTTP2StreamID, [UInt8], endsStream: Bool)
    case reset(HTTP2StreamID, HTTP2ErrorCode)
    /// No stream after `last` is answered.
    case goAway(last: HTTP2StreamID, HTTP2ErrorCode)
    /// The bytes are not HTTP/2, or a header block cannot be decompressed. Nothing follows.
    case malformed
  }

  private var frames: HTTP2FrameReader
  private let inflater = HeaderInflater()
  private var header: HTTP2FrameHeader?
  private var payload: [UInt8] = []
  /// The header block whose frames have not all come.
  private var block: (stream: HTTP2StreamID, bytes: [UInt8], endsStream: Bool)?
  private var isDead = false

  private static let largestBlock = 1 << 20
  private static let paddedFlag: UInt8 = 0x8
  private static let priorityFlag: UInt8 = 0x20
  private static let endHeadersFlag: UInt8 = 0x4

  /// - Parameter isClient: whether the direction begins with the client's preface.
  package init(ofClient isClient: Bool) {
    frames = HTTP2FrameReader(expectsPreface: isClient)
  }

  /// The events that the bytes complete.
  package mutating func receive(_ input: Span<UInt8>) -> [Event] {
    var events: [Event] = []
    var offset = 0
    while !isDead, let piece = frames.next(input, from: &offset) {
      switch piece {
      case .preface: break
      case .frame(let next, let range):
        begin(next)
        receive(input.extracting(range.dropFirst(HTTP2FrameHeader.size)), &events)
      case .header(let next):
        begin(next)
        receive(Span(), &events)
      case .payload(let range):
        receive(input.extracting(range), &events)
      }
    }
    return events
  }

  private mutating func begin(_ frame: HTTP2FrameHeader) {
    header = frame
    payload.removeAll(keepingCapacity: true)
  }

  /// A part of the payload came: the last, if the payload is complete with it.
  private mutating func receive(_ bytes: Span<UInt8>, _ events: inout [Event]) {
    payload.append(bytes: bytes)
    if payload.count == header?.length { endFrame(&events) }
  }

  private mutating func endFrame(_ events: inout [Event]) {
    guard let header else { return }
    self.header = nil
    switch header.type {
    case HTTP2FrameHeader.data:
      guard let content = unpadded(header, isHead: false) else { return fail(&events) }
      events.append(.data(header.stream, Array(content), endsStream: header.endsStream))
    case HTTP2FrameHeader.headers:
      guard block == nil, let fragment = unpadded(header, isHead: true) else { return fail(&events) }
      block = (header.stream, Array(fragment), header.endsStream)
      if header.flags & Self.endHeadersFlag != 0 { endBlock(&events) }
    case HTTP2FrameHeader.continuation:
      guard var begun = block, begun.stream == header.stream, begun.bytes.count + payload.count <= Self.largestBlock else {
        return fail(&events)
      }
      begun.bytes += payload
      block = begun
      if header.flags & Self.endHeadersFlag != 0 { endBlock(&events) }
    case HTTP2FrameHeader.pushPromise:
      // Its block changes the table. The stream that it promises, an even one, is not reported.
      guard block == nil, let fragment = unpadded(header, isHead: false), fragment.count >= 4 else { return fail(&events) }
      block = (0, Array(fragment.dropFirst(4)), false)
      if header.flags & Self.endHeadersFlag != 0 { endBlock(&events) }
    case HTTP2FrameHeader.resetStream where payload.count == 4:
      events.append(.reset(header.stream, HTTP2ErrorCode(rawValue: Self.number(payload[...]))))
    case HTTP2FrameHeader.goAway where payload.count >= 8:
      let last = HTTP2StreamID(Self.number(payload[..<4]) & 0x7FFF_FFFF)
      events.append(.goAway(last: last, HTTP2ErrorCode(rawValue: Self.number(payload[4..<8]))))
    default: break
    }
  }

  private mutating func endBlock(_ events: inout [Event]) {
    guard let block else { return }
    self.block = nil
    guard let list = inflater.inflate(block.bytes, limit: Self.largestBlock) else { return fail(&events) }
    guard block.stream % 2 == 1 else { return }
    events.append(.headers(block.stream, list, wireSize: block.bytes.count, endsStream: block.endsStream))
  }

  /// The payload without its padding and its priority (RFC 9113 6.1, 6.2); `nil` if it is too short for them.
  private func unpadded(_ header: HTTP2FrameHeader, isHead: Bool) -> ArraySlice<UInt8>? {
    var content = payload[...]
    if header.flags & Self.paddedFlag != 0 {
      guard let padding = content.popFirst(), content.count >= Int(padding) else { return nil }
      content.removeLast(Int(padding))
    }
    if isHead, header.flags & Self.priorityFlag != 0 {
      guard content.count >= 5 else { return nil }
      content.removeFirst(5)
    }
    return content
  }

  private mutating func fail(_ events: inout [Event]) {
    isDead = true
    events.append(.malformed)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

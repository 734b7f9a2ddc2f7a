@testable import TapelineHTTP2
import Testing

@Suite struct HTTP2Observing {
  private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
  }

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// RFC 7541 C.3.1 and C.3.2: the second request takes lines from the table of the first.
  private static let blocks: [[UInt8]] = [
    [0x82, 0x86, 0x84, 0x41, 0x0F] + Array("www.example.com".utf8),
    [0x82, 0x86, 0x84, 0xBE, 0x58, 0x08] + Array("no-cache".utf8),
  ]

  /// Padding, a priority, a block in two frames, and the frames that end streams and connections.
  private static let client =
    preface + frame(0x4, stream: 0, [])
    + frame(0x1, flags: 0x28, stream: 1, [2, 0, 0, 0, 0, 15] + blocks[0].prefix(4) + [0, 0])
    + frame(0x9, flags: 0x4, stream: 1, Array(blocks[0].dropFirst(4)))
    + frame(0x0, flags: 0x9, stream: 1, [1] + Array("body".utf8) + [0])
    + frame(0x1, flags: 0x5, stream: 3, blocks[1])
    + frame(0x3, stream: 3, [0, 0, 0, 8])
    + frame(0x7, stream: 0, [0, 0, 0, 3, 0, 0, 0, 0])

  private static func texts(_ events: [HTTP2Observer.Event]) -> [String] {
    events.map { event in
      switch event {
      case .headers(let stream, let list, let size, let ends):
        "\(stream) \(list.texts.map { "\($0.name)=\($0.value)" }.joined(separator: " ")) \(size)\(ends ? " end" : "")"
      case .data(let stream, let content, let ends): "\(stream) \(String(decoding: content, as: UTF8.self))\(ends ? " end" : "")"
      case .reset(let stream, let code): "\(stream) reset \(code.name)"
      case .goAway(let last, let code): "goaway \(last) \(code.name)"
      case .malformed: "malformed"
      }
    }
  }

  private static let expected = [
    "1 :method=GET :scheme=http :path=/ :authority=www.example.com 20", "1 body end",
    "3 :method=GET :scheme=http :path=/ :authority=www.example.com cache-control=no-cache 14 end", "3 reset CANCEL",
    "goaway 3 NO_ERROR",
  ]

  @Test func framesSplitAnywhereYieldTheSameEvents() {
    for split in 0...Self.client.count {
      var observer = HTTP2Observer(ofClient: true)
      var events = observer.receive(Self.client.span.extracting(0..<split))
      events += observer.receive(Self.client.span.extracting(split..<Self.client.count))
      #expect(Self.texts(events) == Self.expected, "at \(split)")
    }
  }

  /// A push promise is not reported, and its block is in the table of those that follow.
  @Test func aPromiseChangesTheTable() {
    var observer = HTTP2Observer(ofClient: false)
    let bytes =
      Self.frame(0x5, flags: 0x4, stream: 1, [0, 0, 0, 2] + Self.blocks[0])
      + Self.frame(0x1, flags: 0x4, stream: 1, [0x88, 0xBE])
    #expect(Self.texts(observer.receive(bytes.span)) == ["1 :status=200 :authority=www.example.com 2"])
  }

  @Test(arguments: [
    frame(0x1, flags: 0x4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), frame(0x1, flags: 0xC, stream: 1, [9, 0x88]),
    frame(0x9, flags: 0x4, stream: 1, [0x88]), frame(0x0, flags: 0x8, stream: 1, [5, 0]), frame(0x1, flags: 0x24, stream: 1, [0]),
  ]) func malformedFramesEndTheReading(bytes: [UInt8]) {
    var observer = HTTP2Observer(ofClient: false)
    #expect(Self.texts(observer.receive(bytes.span)) == ["malformed"])
    #expect(observer.receive(Self.frame(0x1, flags: 0x4, stream: 1, [0x88]).span).isEmpty)
  }

  /// A sender may use the table that the other side has allowed, beyond the default.
  @Test func aTableMayGrow() {
    var observer = HTTP2Observer(ofClient: false)
    // RFC 7541 6.3: 65,536 bytes.
    let block: [UInt8] = [0x3F, 0xE1, 0xFF, 0x03, 0x88]
    #expect(Self.texts(observer.receive(Self.frame(0x1, flags: 0x4, stream: 1, block).span)) == ["1 :status=200 5"])
  }
}

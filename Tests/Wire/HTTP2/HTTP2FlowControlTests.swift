import TapelineHTTP
import TapelineHTTP2
import TapelineTime
import Testing

@Suite struct HTTP2FlowControlTests {
  /// Offers as much content as is asked for, up to `total` bytes, and counts what was taken.
  private final class Source {
    var left: Int
    private(set) var taken = 0
    private static let piece = [UInt8](repeating: 0x61, count: 16_384)

    init(_ total: Int) {
      left = total
    }

    func next(_ limit: Int) -> HTTP2Content {
      let count = min(limit, left, Self.piece.count)
      guard count > 0 else { return .end }
      left -= count
      taken += count
      return .bytes(count == Self.piece.count ? Self.piece : Array(Self.piece[..<count]), isLast: left == 0)
    }
  }

  /// Moves bytes both ways until nothing moves, with pulls from `sources`.
  private static func move(_ client: Endpoint, _ server: Endpoint, _ sources: [HTTP2StreamID: Source]) {
    var waiting = 0
    while true {
      var output: [UInt8] = []
      server.connection.nextOutput(into: &output, limit: 65_536) { stream, limit in
        sources[stream]?.next(limit) ?? .later
      }
      server.drainEvents()
      waiting = max(waiting, output.count)
      if !output.isEmpty { client.read(output) }
      let back = client.write()
      if !back.isEmpty { server.read(back) }
      if output.isEmpty, back.isEmpty { break }
    }
    #expect(waiting <= 65_536 + 16_384 + 9, "no more is serialised than was asked for")
  }

  @Test("A stopped reader of a gibibyte holds a window's worth, while 99 other streams go on")
  func stoppedReader() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    client.keepsTranscript = false
    server.keepsTranscript = false
    client.stopped = [1]
    var sources: [HTTP2StreamID: Source] = [:]
    for number in 0..<100 {
      let stream = 1 + 2 * HTTP2StreamID(number)
      client.submit()
      sources[stream] = Source(stream == 1 ? 1 << 30 : 1 << 20)
    }
    exchange(client, server)
    for stream in sources.keys.sorted() { server.respond(stream, hasContent: true) }
    Self.move(client, server, sources)
    #expect(client.received[1] == 262_144)
    #expect(sources[1]?.taken == 262_144, "no more is pulled than the window lets go")
    #expect(client.connection.unconsumed(on: 1) == 262_144)
    #expect(server.connection.sendWindow(of: 1) == 0)
    #expect(client.received.filter { $0.key != 1 }.values.allSatisfy { $0 == 1 << 20 })
    #expect(client.openStreams == 1)
    // The reader goes on for a while.
    for _ in 0..<64 {
      client.connection.consume(client.connection.unconsumed(on: 1), on: 1)
      Self.move(client, server, sources)
    }
    #expect(client.received[1] == 65 * 262_144)
    #expect(client.violation == nil && server.violation == nil)
  }

  @Test("A hundred stopped readers do not hold up the connection's other frames")
  func allStopped() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    client.keepsTranscript = false
    var sources: [HTTP2StreamID: Source] = [:]
    for number in 0..<100 {
      let stream = 1 + 2 * HTTP2StreamID(number)
      client.submit()
      client.stopped.insert(stream)
      sources[stream] = Source(1 << 20)
    }
    exchange(client, server)
    for stream in sources.keys.sorted() { server.respond(stream, hasContent: true) }
    Self.move(client, server, sources)
    #expect(client.received.values.allSatisfy { $0 == 262_144 })
    #expect(client.received.count == 100)
    client.connection.ping(1)
    exchange(client, server)
    client.stopped = []
    for stream in sources.keys { client.connection.consume(client.connection.unconsumed(on: stream), on: stream) }
    Self.move(client, server, sources)
    #expect(client.received.values.allSatisfy { $0 == 1 << 20 })
    #expect(client.openStreams == 0)
  }

  private enum Ending: CaseIterable {
    case resetByPeer, resetByUs, refused, completed
  }

  @Test("Content that nobody takes is returned to the connection, however its stream ends", arguments: 0..<4)
  private func lostContent(ending: Int) {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 2
    limits.streamWindow = 65_536
    let server = Endpoint.server(limits: limits)
    server.keepsTranscript = false
    let content = [UInt8](repeating: 1, count: 16_000)
    // Six times the connection's window.
    for number in 0..<20 {
      let stream = 1 + 2 * Int32(number)
      server.stopped = [stream]
      server.now = server.now.advanced(byNanoseconds: 3_000_000_000)
      server.read([.headers(stream, request(method: "POST", [("content-length", "40000")]), ends: false)])
      server.read([.data(stream, content), .data(stream, content)])
      #expect(server.received[stream] == 32_000, "stream \(stream)")
      switch Ending.allCases[ending] {
      case .resetByPeer:
        server.now = server.now.advanced(byNanoseconds: 3_000_000_000)
        server.read([.reset(stream)])
      case .resetByUs:
        server.connection.reset(stream, .cancel)
        // Still on its way; dropped, and returned as well.
        server.read([.data(stream, [UInt8](repeating: 1, count: 8000))])
      case .refused:
        server.read([.data(stream, [UInt8](repeating: 1, count: 8001))])
        #expect(server.refusals[stream] == .malformed(.differentContentLength))
      case .completed:
        server.read([.data(stream, [UInt8](repeating: 1, count: 8000), ends: true)])
        server.respond(stream)
        server.write()
        // The stream is over for nghttp2, and its content is still here.
        #expect(server.openStreams == 0)
        #expect(server.connection.unconsumed(on: stream) == 40_000)
        server.connection.consume(40_000, on: stream)
      }
      // A reader that comes late has nothing left to take, and does no harm.
      server.connection.consume(0, on: stream)
      #expect(server.connection.unconsumed(on: stream) == 0)
      server.write()
    }
    #expect(server.violation == nil)
    #expect(server.openStreams == 0)
  }

  @Test("RFC 9113 6.9.2: a smaller initial window of the peer stops content, and a larger one lets it go on")
  func changedWindows() {
    let client = Endpoint.client(requests: 1)
    client.submit(request(method: "PUT"), method: .put, hasContent: true)
    client.contents[3] = [.bytes([UInt8](repeating: 1, count: 1000)), .end]
    client.read([.settings([(4, 100)])])
    #expect(Frame.reading(client.write()).filter { $0.type == 0 }.map(\.payload.count) == [100])
    #expect(client.connection.sendWindow(of: 3) == 0)
    client.read([.settings([(4, 50)])])
    client.write()
    client.read([.windowUpdate(3, 60)])
    #expect(Frame.reading(client.write()).filter { $0.type == 0 }.map(\.payload.count) == [10])
    client.read([.windowUpdate(3, 10_000)])
    #expect(Frame.reading(client.write()).filter { $0.type == 0 }.map(\.payload.count) == [890, 0])
  }
}

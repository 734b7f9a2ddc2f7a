import TapelineHTTP
import TapelineHTTP2
import Testing

/// Rules of frames, streams and settings, toward a peer that writes its frames by hand.
@Suite struct HTTP2FrameRulesTests {
  private static func codes(_ frames: [Frame], after setUp: Endpoint) -> (goAway: HTTP2ErrorCode?, reset: HTTP2ErrorCode?) {
    setUp.read(frames)
    let output = Frame.reading(setUp.write())
    return (
      output.first(where: \.isGoAway).map { HTTP2ErrorCode(rawValue: $0.number(at: 4)) },
      output.first(where: \.isReset).map { HTTP2ErrorCode(rawValue: $0.number()) }
    )
  }

  @Test("RFC 9113 3.4: a client begins with its preface, and anything else ends the connection at once")
  func preface() {
    let server = Endpoint(.server)
    server.read(Array("GET / HTTP/1.1\r\n\r\n".utf8))
    #expect(server.violation == .connectionError(.protocolError))
    let client = Endpoint(.client)
    #expect(client.write().starts(with: Frame.preface))
  }

  @Test("RFC 9113 3.4: both prefaces have SETTINGS, and a peer without them is refused", arguments: [HTTP2Role.server, .client])
  func settingsFirst(role: HTTP2Role) {
    let endpoint = Endpoint(role)
    #expect(Frame.reading(endpoint.write()).first?.type == 4)
    endpoint.read((role == .server ? Frame.preface : []) + Frame.ping().bytes)
    endpoint.write()
    #expect(endpoint.violation == .connectionError(.protocolError))
  }

  @Test("RFC 9113 4.2: a frame beyond the allowed size ends the connection")
  func frameSize() {
    let codes = Self.codes(
      [.headers(1, request(method: "POST"), ends: false), .data(1, [UInt8](repeating: 0, count: 16_385))], after: .server())
    #expect(codes.goAway == .frameSizeError)
  }

  @Test("RFC 9113 4.3: a header block that cannot be decompressed ends the connection", arguments: [HTTP2Role.server, .client])
  func compression(role: HTTP2Role) {
    let endpoint = role == .server ? Endpoint.server() : Endpoint.client()
    // An index that is in no table.
    let codes = Self.codes([.headers(1, block: [0xFF, 0xFF, 0x7F])], after: endpoint)
    #expect(codes.goAway == .compressionError)
    #expect(endpoint.violation == .connectionError(.compressionError))
  }

  @Test("RFC 9113 5.1: frames on idle streams end the connection")
  func idleStreams() {
    #expect(Self.codes([.data(1, [1])], after: .server()).goAway == .protocolError)
    #expect(Self.codes([.reset(1)], after: .server()).goAway == .protocolError)
    #expect(Self.codes([.windowUpdate(1, 1)], after: .server()).goAway == .protocolError)
  }

  @Test("RFC 7540 5.3.1: a stream that depends on itself ends the connection, however the frame is cut")
  func dependency() {
    let server = Endpoint.server()
    server.read([.priority(3, of: 1), .headers(1, request()), .priority(3, of: 0x8000_0001)])
    #expect(server.requests.count == 1 && server.violation == nil)
    for isExclusive in [false, true] {
      let server = Endpoint.server()
      for byte in Frame.priority(3, of: isExclusive ? 0x8000_0003 : 3).bytes { server.read([byte]) }
      #expect(server.violation == .connectionError(.protocolError))
    }
    #expect(Self.codes([.priority(3, of: 3), .headers(1, request())], after: .server()).goAway == .protocolError)
  }

  @Test("RFC 9113 5.1: content after the end of a stream is an error")
  func afterEnd() {
    let server = Endpoint.server()
    let codes = Self.codes([.headers(1, request()), .data(1, [1])], after: server)
    #expect((codes.reset ?? codes.goAway) == .streamClosed)
    #expect(server.received.isEmpty)
  }

  @Test("RFC 9113 5.1.1: a client's streams have odd numbers that rise")
  func streamNumbers() {
    #expect(Self.codes([.headers(2, request())], after: .server()).goAway == .protocolError)
    let server = Endpoint.server()
    server.read([.headers(5, request())])
    let codes = Self.codes([.headers(3, request())], after: server)
    #expect(codes.goAway == .protocolError && server.requests.count == 1)
  }

  @Test("RFC 9113 5.1: a message on a stream that is over ends the connection")
  func lateMessages() {
    for late in [Frame.data(1, [1]), .headers(1, request())] {
      let complete = Endpoint.server()
      complete.read([.headers(1, request())])
      complete.respond(1)
      complete.write()
      #expect(Self.codes([late], after: complete).goAway == .streamClosed)
      let reset = Endpoint.server()
      reset.read([.headers(1, request(), ends: false), .reset(1)])
      reset.write()
      #expect(Self.codes([late], after: reset).goAway == .streamClosed)
    }
  }

  @Test("What a client has sent before it heard of our reset, or sends of windows and priorities, harms nobody (RFC 9113 5.1)")
  func lateInGoodFaith() {
    let server = Endpoint.server()
    server.read([.headers(1, request(), ends: false)])
    server.connection.reset(1, .cancel)
    server.write()
    server.read([.data(1, [1]), .headers(1, [("x", "y")])])
    server.read([.headers(3, request())])
    server.respond(3)
    server.write()
    server.read([.windowUpdate(3, 1), .reset(3), .priority(3)])
    #expect(server.violation == nil && server.refusals.isEmpty)
    var limits = HTTP2Limits()
    limits.concurrentStreams = 1
    let full = Endpoint(.server, limits: limits)
    full.read(Frame.preface + Frame.settings().bytes)
    full.read([.headers(1, request(), ends: false), .headers(3, request(), ends: false), .headers(5, request(), ends: false)])
    full.write()
    full.read([.data(3, [1]), .headers(5, [("x", "y")])])
    #expect(full.violation == nil && full.requests.count == 1, "they were refused, and the client does not know yet")
  }

  @Test("Streams that ended long ago are forgotten") func forgottenStreams() {
    let server = Endpoint.server()
    for stream in stride(from: Int32(1), to: 1001, by: 2) {
      server.read([.headers(stream, request())])
      server.respond(stream)
      server.write()
    }
    server.read([.data(1, [1])])
    #expect(server.violation == nil)
    server.read([.data(999, [1])])
    #expect(server.violation == .connectionError(.streamClosed))
  }

  @Test("RFC 9113 5.1.2: streams beyond the limit are refused, and may be tried again")
  func concurrency() {
    let server = Endpoint(.server)
    server.read(Frame.preface + Frame.settings().bytes)
    // The client has not read our limit yet.
    let codes = Self.codes((0..<101).map { .headers(1 + 2 * $0, request()) }, after: server)
    #expect(codes.reset == .refusedStream)
    #expect(server.requests.count == 100)
    #expect(server.openStreams == 100)
    #expect(server.violation == nil)
  }

  @Test("RFC 9113 5.1.2: a client that has acknowledged the limit and exceeds it loses its connection")
  func acknowledgedConcurrency() {
    let server = Endpoint.server()
    let codes = Self.codes((0..<101).map { .headers(1 + 2 * $0, request()) }, after: server)
    #expect(codes.goAway == .protocolError)
    #expect(server.requests.count == 100)
  }

  @Test("RFC 9113 6.5: malformed SETTINGS end the connection")
  func malformedSettings() {
    #expect(Self.codes([Frame(type: 4, flags: 0, stream: 0, payload: [0])], after: .server()).goAway == .frameSizeError)
    #expect(Self.codes([Frame(type: 4, flags: 0, stream: 1, payload: [])], after: .server()).goAway == .protocolError)
    #expect(Self.codes([.settings([(2, 2)])], after: .server()).goAway == .protocolError)
    #expect(Self.codes([.settings([(4, 0x8000_0000)])], after: .server()).goAway == .flowControlError)
    #expect(Self.codes([.settings([(5, 1)])], after: .server()).goAway == .protocolError)
  }

  @Test("RFC 9113 6.5.2: what the peer says of itself is told")
  func peerSettings() {
    let client = Endpoint.client()
    client.read([.settings([(3, 7), (4, 1000), (8, 1)])])
    #expect(client.peerSettings.maxConcurrentStreams == 7)
    #expect(client.peerSettings.initialWindowSize == 1000)
    #expect(client.peerSettings.offersExtendedConnect)
    #expect(client.transcript.contains("settings streams 7 window 1000"))
    #expect(Frame.reading(client.write()).contains(.settingsAcknowledgement))
  }

  @Test("RFC 9113 6.5.2: our settings bound streams, windows, lists and tables, and disable push")
  func ownSettings() {
    for role in [HTTP2Role.server, .client] {
      let payload = Frame.reading(Endpoint(role).write()).first?.payload ?? []
      var settings: [UInt8: UInt32] = [:]
      for start in stride(from: 0, to: payload.count, by: 6) {
        settings[payload[start + 1]] = payload[start + 2..<start + 6].reduce(0) { $0 << 8 | UInt32($1) }
      }
      #expect(settings[1] == 4096)
      #expect(settings[2] == (role == .client ? 0 : nil))
      #expect(settings[3] == (role == .server ? 100 : nil))
      #expect(settings[4] == 262_144)
      #expect(settings[6] == 1_048_576)
      #expect(settings[9] == 1)
    }
  }

  @Test("RFC 9113 6.6: a pushed response ends the connection", arguments: [HTTP2Role.server, .client])
  func push(role: HTTP2Role) {
    let endpoint = role == .server ? Endpoint.server() : Endpoint.client()
    endpoint.read([Frame(type: 5, flags: Frame.endHeaders, stream: 1, payload: Frame.number(2) + Frame.block(request()))])
    #expect(endpoint.violation == .flood(.pushes))
  }

  @Test("RFC 9113 6.7: a ping is answered, and an answer is told")
  func pings() {
    let server = Endpoint.server()
    server.read([.ping(7)])
    #expect(Frame.reading(server.write()).contains(.ping(7, flags: Frame.acknowledgement)))
    server.read([.ping(1, flags: Frame.acknowledgement)])
    #expect(server.transcript.last == "pong \(0x0101_0101_0101_0101 as UInt64)")
  }

  @Test("RFC 9113 6.9: a window of zero, or beyond 2³¹ − 1, is an error of its stream or of the connection")
  func windowErrors() {
    #expect(Self.codes([.windowUpdate(0, 0)], after: .server()).goAway == .protocolError)
    #expect(Self.codes([.windowUpdate(0, 0x7FFF_FFFF)], after: .server()).goAway == .flowControlError)
    let server = Endpoint.server()
    server.read([.headers(1, request(method: "POST"), ends: false)])
    let codes = Self.codes([.windowUpdate(1, 0x7FFF_FFFF)], after: server)
    #expect(codes.reset == .flowControlError)
    #expect(server.refusals[1] == .streamError(.flowControlError))
    #expect(server.violation == nil)
  }

  @Test("RFC 9113 6.9.1: content beyond a window is an error")
  func overrun() {
    let server = Endpoint.server()
    server.stopped = [1]
    server.read([.headers(1, request(method: "POST"), ends: false)])
    server.read((0..<17).map { _ in .data(1, [UInt8](repeating: 0, count: 16_384)) })
    #expect(server.received[1] == 262_144)
    #expect(server.refusals[1] == .streamError(.flowControlError))
    #expect(Frame.reading(server.write()).filter(\.isReset).map { $0.number() } == [HTTP2ErrorCode.flowControlError.rawValue])
    #expect(server.violation == nil)
  }

  @Test("RFC 9113 6.10: a header block is not interrupted")
  func interruptedBlock() {
    let server = Endpoint.server()
    let codes = Self.codes([.headers(1, request(), flags: 0), .ping()], after: server)
    #expect(codes.goAway == .protocolError)
    #expect(Self.codes([.continuation(1)], after: .server()).goAway == .protocolError)
  }

  @Test("RFC 9113 6.4: a reset is told with its code and its sender", arguments: [HTTP2Role.server, .client])
  func resets(role: HTTP2Role) {
    let endpoint = role == .server ? Endpoint.server() : Endpoint.client()
    if role == .server { endpoint.read([.headers(1, request())]) }
    endpoint.read([.reset(1, 0xd)])
    #expect(endpoint.transcript.suffix(2) == ["1 reset HTTP_1_1_REQUIRED by peer", "1 closed"])
    #expect(endpoint.openStreams == 0)
  }

  @Test("RFC 9113 5.4.2: after our reset nothing more of a stream is told, but that it is closed")
  func ownReset() {
    let server = Endpoint.server()
    server.read([.headers(1, request(method: "POST"), ends: false)])
    server.connection.reset(1, .cancel)
    server.read([.data(1, [1, 2, 3]), .headers(1, [("x", "1")])])
    #expect(Frame.reading(server.write()).filter(\.isReset).map { $0.number() } == [8])
    #expect(server.transcript.last == "1 closed")
    #expect(server.received.isEmpty)
    #expect(server.transcript.filter { $0.hasPrefix("1 ") }.count == 2)
  }

  @Test("RFC 9113 5.5: frames of unknown types are ignored")
  func unknownFrames() {
    let server = Endpoint.server()
    server.read([Frame(type: 0xEE, flags: 0xFF, stream: 9, payload: [1, 2, 3]), .headers(1, request())])
    #expect(server.requests.count == 1)
    #expect(server.violation == nil)
  }

  @Test("RFC 9218 7.1: an update of a priority is told, before and after its request")
  func priorityUpdates() {
    let server = Endpoint.server()
    server.read([.priorityUpdate(1, "u=1"), .headers(1, request("/", [("priority", "u=5, i")])), .priorityUpdate(1, "u=0")])
    #expect(server.transcript.filter { $0.hasPrefix("1 priority") } == ["1 priority u=1", "1 priority u=0"])
    #expect(server.requests[1]?.fields.values(named: "priority") == ["u=5, i"])
    // RFC 9218 2.1: the server's first SETTINGS say that it knows them.
    let client = Endpoint(.client)
    client.submit()
    client.read([.settings([(9, 1)])])
    client.write()
    client.connection.updatePriority(of: 1, fieldValue: "u=2")
    #expect(Frame.reading(client.write()).contains(.priorityUpdate(1, "u=2")))
  }

  @Test("RFC 9218 4: a priority is a dictionary, of which the unknown is ignored")
  func priorityValues() {
    #expect(HTTP2Priority(fieldValue: "") == HTTP2Priority())
    #expect(HTTP2Priority(fieldValue: "u=5, i").urgency == 5)
    #expect(HTTP2Priority(fieldValue: "u=5, i").isIncremental)
    #expect(HTTP2Priority(fieldValue: "i;a=b,x=1 ,u=8").urgency == 3)
    #expect(HTTP2Priority(fieldValue: "i=?0, u=-1") == HTTP2Priority())
  }

  @Test("Codes have the names of the RFC, and unknown codes their number")
  func codeNames() {
    #expect(HTTP2ErrorCode.http11Required.name == "HTTP_1_1_REQUIRED")
    #expect(HTTP2ErrorCode.noError.name == "NO_ERROR")
    #expect(HTTP2ErrorCode(rawValue: 0xff).name == "0xff")
  }
}

import TapelineHTTP
import TapelineHTTP2
import TapelineTime
import Testing

/// Peers that send more than anybody needs. What is held is counted: events, bytes of output, frames until the end.
@Suite struct HTTP2FloodTests {
  /// Feeds `frame` up to 100,000 times, reading the answers, until the connection ends; returns how many it took, and expects
  /// that never more than a few bytes were waiting.
  private static func flood(_ endpoint: Endpoint, _ frames: (Int) -> [Frame]) -> Int {
    endpoint.keepsTranscript = false
    for count in 0..<100_000 {
      let before = endpoint.eventCount
      endpoint.read(frames(count))
      if endpoint.eventCount - before > 10 || endpoint.write().count > 1000 {
        Issue.record("more was made of one round than the round had")
        return count
      }
      if endpoint.violation != nil { return count + 1 }
    }
    return 100_000
  }

  private static func endpoint(_ role: HTTP2Role) -> Endpoint {
    role == .server ? .server() : .client()
  }

  @Test("RFC 9113 10.5: requests that are reset at once end the connection")
  func rapidReset() {
    let server = Endpoint.server()
    let count = Self.flood(server) { [.headers(1 + 2 * Int32($0), request()), .reset(1 + 2 * Int32($0))] }
    #expect(server.violation == .flood(.youngResets))
    #expect(count == 250)
    #expect(server.openStreams == 0)
  }

  @Test("RFC 9113 10.5: resets of streams that are not young end the connection by their number")
  func slowResets() {
    let server = Endpoint.server()
    let count = Self.flood(server) { count in
      let stream = 1 + 2 * Int32(count)
      server.read([.headers(stream, request())])
      // Less than 33 in a second, for as long as that goes on.
      if count < 2000 { server.now = server.now.advanced(byNanoseconds: 2_000_000_000) }
      return [.reset(stream)]
    }
    #expect(server.violation == .flood(.youngResets))
    #expect(count > 2000)
    var limits = HTTP2Limits()
    limits.youngStreams = 1_000_000
    let other = Endpoint.server(limits: limits)
    let total = Self.flood(other) { [.headers(1 + 2 * Int32($0), request()), .reset(1 + 2 * Int32($0))] }
    #expect(other.violation == .flood(.resets))
    #expect(total == 1001)
  }

  @Test("The budget of resets fills up again by 33 in a second")
  func refill() {
    var limits = HTTP2Limits()
    limits.youngStreams = 1_000_000
    let server = Endpoint.server(limits: limits)
    let count = Self.flood(server) { count in
      if count == 1000 { server.now = server.now.advanced(byNanoseconds: 1_000_000_000) }
      return [.headers(1 + 2 * Int32(count), request()), .reset(1 + 2 * Int32(count))]
    }
    #expect(count == 1034)
  }

  @Test("RFC 9113 10.5: requests that make us reset their streams end the connection")
  func provokedResets() {
    let server = Endpoint.server()
    let count = Self.flood(server) { [.headers(1 + 2 * Int32($0), [(":method", "GET")])] }
    #expect(server.violation == .flood(.resets))
    #expect(count == 1001)
    let other = Endpoint.server()
    let total = Self.flood(other) {
      [.headers(1 + 2 * Int32($0), request(method: "POST"), ends: false), .windowUpdate(1 + 2 * Int32($0), 0x7FFF_FFFF)]
    }
    #expect(other.violation == .flood(.resets))
    #expect(total <= 1001)
  }

  @Test("RFC 9113 5.1.2: requests beyond the limit, from a client that acknowledges nothing, end the connection")
  func refusedStreams() {
    let server = Endpoint(.server)
    server.read(Frame.preface + Frame.settings().bytes)
    let count = Self.flood(server) { [.headers(1 + 2 * Int32($0), request())] }
    #expect(server.violation == .flood(.resets))
    #expect(count == 1101)
    #expect(server.requests.count == 100)
  }

  @Test("RFC 9113 10.5: origins that reset without end lose their connection")
  func resetsByOrigin() {
    let client = Endpoint.client()
    let count = Self.flood(client) { _ in [.reset(1)] }
    #expect(client.violation == .flood(.resets))
    #expect(count == 1001)
  }

  @Test("RFC 9113 10.5.1: CONTINUATION frames without end end the connection", arguments: [HTTP2Role.server, .client])
  func continuations(role: HTTP2Role) {
    let limits = HTTP2Limits(HTTPLimits(headerBlock: 64 << 10))
    let endpoint = role == .server ? Endpoint.server(limits: limits) : .client(limits: limits)
    endpoint.read([.headers(1, block: Frame.block(role == .server ? request() : [(":status", "200")]), flags: 0)])
    let count = Self.flood(endpoint) { _ in .init([.continuation(1)]) }
    #expect(endpoint.violation == .flood(.continuations))
    #expect(count == 9)
  }

  @Test("RFC 9113 10.5.1: a header block larger than any list ends the connection", arguments: [HTTP2Role.server, .client])
  func headerBlock(role: HTTP2Role) {
    var limits = HTTP2Limits(HTTPLimits(headerBlock: 64 << 10))
    limits.continuations = 1000
    let endpoint = role == .server ? Endpoint.server(limits: limits) : .client(limits: limits)
    let block = Frame.block([("x", String(repeating: "x", count: 16_000))])
    endpoint.read([.headers(1, block: block, flags: 0)])
    let count = Self.flood(endpoint) { _ in [.continuation(1, block: block)] }
    #expect(endpoint.violation == .flood(.headerBlock))
    #expect(count == 8)
  }

  @Test(
    "RFC 7541 7.3: a block that becomes thousands of times larger is read, and not held",
    arguments: [HTTP2Role.server, .client])
  func compressionBomb(role: HTTP2Role) {
    let endpoint = Self.endpoint(role)
    let head = role == .server ? request() : [(":status", "200")]
    // A line that goes into the table, and then 16,000 references to it: 64 MB.
    let value = [UInt8](repeating: UInt8(ascii: "x"), count: 4000)
    let block = Frame.block(head) + [0x40] + Frame.string([UInt8(ascii: "x")]) + Frame.string(value)
    endpoint.read([
      .headers(1, block: block, ends: false, flags: 0),
      .continuation(1, block: [UInt8](repeating: 0xBE, count: 16_000), flags: Frame.endHeaders),
    ])
    #expect(role == .server ? endpoint.oversized[1]?.excess == .headerList : endpoint.refusals[1] == .tooLarge(.headerList))
    #expect(endpoint.requests.isEmpty && endpoint.responses.isEmpty)
    #expect(endpoint.violation == nil)
  }

  @Test("RFC 9113 10.5: crumbs of cookies count as lines")
  func crumbs() {
    let server = Endpoint.server()
    // A literal with an indexed name (32, cookie) and no value has three bytes.
    let crumbs = (0..<8000).flatMap { _ in [0x0F, 0x11, 0x00] as [UInt8] }
    server.read([.headers(1, block: Frame.block(request()), flags: 0)])
    for _ in 0..<4 { server.read([.continuation(1, block: Array(crumbs.prefix(15_999)))]) }
    server.read([.continuation(1, flags: Frame.endHeaders)])
    #expect(server.oversized[1]?.excess == .headerLines)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "RFC 9113 10.5: frames that carry nothing have budgets, and end the connection beyond them",
    arguments: [HTTP2Role.server, .client])
  func emptyFrames(role: HTTP2Role) {
    let cases: [(Frame, HTTP2Violation.Flood, Int)] = [
      (.settings(), .settings, 100), (.ping(), .pings, 1001), (.windowUpdate(0, 1), .windowUpdates, 10_001),
      (.priority(3), .priorities, 1001), (Frame(type: 0xEE, flags: 0, stream: 0, payload: []), .otherFrames, 1001),
      (.goAway(last: 0), .otherFrames, 1001),
    ]
    for (frame, flood, limit) in cases {
      let endpoint = Self.endpoint(role)
      let count = Self.flood(endpoint) { _ in [frame] }
      #expect(endpoint.violation == .flood(flood), "\(flood)")
      #expect(count <= limit && count > limit - 20, "\(flood): \(count)")
    }
  }

  @Test(
    "RFC 9113 10.5: empty DATA frames have a budget, and end the connection beyond it", arguments: [HTTP2Role.server, .client])
  func emptyData(role: HTTP2Role) {
    let endpoint = Self.endpoint(role)
    endpoint.read([.headers(1, role == .server ? request(method: "POST") : [(":status", "200")], ends: false)])
    // Padding is not content.
    let padding = Frame(type: 0, flags: Frame.padded, stream: 1, payload: [3, 0, 0, 0])
    let count = Self.flood(endpoint) { [$0 % 2 == 0 ? .data(1, []) : padding] }
    #expect(endpoint.violation == .flood(.emptyData))
    #expect(count == 1001)
  }

  @Test("RFC 9218 7.1: updates of priorities have a budget, and those of streams that never come are not held")
  func priorityUpdates() {
    let server = Endpoint.server()
    let count = Self.flood(server) { [.priorityUpdate(1 + 2 * Int32($0), "u=1")] }
    #expect(server.violation != nil)
    #expect(count <= 1001)
  }

  @Test("RFC 9113 10.5: a peer that does not read our answers does not make them pile up")
  func unreadAnswers() {
    var limits = HTTP2Limits()
    limits.pings = .init(burst: 1_000_000, perSecond: 1)
    let server = Endpoint.server(limits: limits)
    var count = 0
    while server.violation == nil, count < 100_000 {
      server.read([.ping()])
      count += 1
    }
    #expect(server.violation == .flood(.queuedFrames))
    #expect(count <= 2001)
    #expect(server.write().count < 2001 * 17 + 1000)
  }

  @Test("A flood is answered by ENHANCE_YOUR_CALM, and nothing is read after it")
  func calm() {
    let server = Endpoint.server()
    server.read((0..<2000).map { _ in .priority(3) } + [.headers(1, request())])
    let output = Frame.reading(server.write())
    #expect(output.last(where: \.isGoAway)?.number(at: 4) == HTTP2ErrorCode.enhanceYourCalm.rawValue)
    #expect(server.requests.isEmpty)
    #expect(server.isFinished)
  }

  @Test("A busy connection exceeds no budget")
  func busyConnection() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    client.keepsTranscript = false
    server.keepsTranscript = false
    for round in 0..<2000 {
      guard let stream = client.submit(request("/\(round)", method: "POST"), method: .post, hasContent: true) else {
        Issue.record("the connection takes requests")
        return
      }
      client.contents[stream] = [.bytes([1, 2, 3], isLast: true)]
      exchange(client, server)
      server.respond(stream, hasContent: true)
      server.contents[stream] = [.bytes([UInt8](repeating: 7, count: 20_000), isLast: true)]
      exchange(client, server)
      server.now = server.now.advanced(byNanoseconds: 1_000_000)
      client.now = server.now
    }
    #expect(client.violation == nil && server.violation == nil)
    #expect(client.responses.count == 2000)
    #expect(client.openStreams == 0 && server.openStreams == 0)
  }
}

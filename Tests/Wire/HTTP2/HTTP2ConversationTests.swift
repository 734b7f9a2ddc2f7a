import TapelineHTTP
import TapelineHTTP2
import Testing

/// Two of our own sessions that talk to each other.
@Suite struct HTTP2ConversationTests {
  private static func startedClient() -> Endpoint {
    let client = Endpoint(.client)
    client.submit(request("/one", [("cookie", "a=1"), ("cookie", "b=2")]))
    client.submit(
      request("/two", method: "POST", [("content-length", "10"), ("te", "trailers")]), method: .post, hasContent: true)
    client.submit(request("/three", method: "HEAD"), method: .head)
    client.contents[3] = [.bytes(Array("hello ".utf8)), .bytes(Array("you!".utf8)), .trailers(HTTP2HeaderList([("sum", "9")]))]
    client.connection.ping(7)
    return client
  }

  private static func answer(on server: Endpoint) {
    server.connection.submitInterim(HTTP2HeaderList([(":status", "103"), ("link", "</x>")]), on: 1)
    server.respond(1, [(":status", "200"), ("content-length", "5")], hasContent: true)
    server.contents[1] = [.bytes(Array("world".utf8), isLast: true)]
    server.respond(3, hasContent: true)
    server.contents[3] = [.bytes(Array("a".utf8)), .trailers(HTTP2HeaderList([("grpc-status", "0")]))]
    server.respond(5, [(":status", "200"), ("content-length", "999")])
  }

  @Test("A server reads the same wherever the stream is cut")
  func requestsAtEverySplit() {
    let bytes = Self.startedClient().write()
    let whole = Endpoint(.server)
    whole.read(bytes)
    whole.endRun()
    #expect(whole.violation == nil)
    let kinds = whole.transcript.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(kinds.count == 9 && Set(kinds).isSuperset(of: ["1 request", "3 data", "3 trailers", "5 end"]), "\(whole.transcript)")
    for cut in 0...bytes.count {
      let server = Endpoint(.server)
      server.read(Array(bytes[..<cut]))
      server.read(Array(bytes[cut...]))
      server.endRun()
      #expect(server.transcript == whole.transcript, "cut at \(cut)")
    }
    let drip = Endpoint(.server)
    for byte in bytes { drip.read([byte]) }
    drip.endRun()
    #expect(drip.transcript == whole.transcript)
  }

  @Test("A client reads the same wherever the stream is cut")
  func responsesAtEverySplit() {
    let server = Endpoint(.server)
    server.read(Self.startedClient().write())
    Self.answer(on: server)
    let bytes = server.write()
    func client() -> Endpoint {
      let client = Self.startedClient()
      client.write()
      return client
    }
    let whole = client()
    whole.read(bytes)
    whole.endRun()
    let expected: Set<String> = [
      "1 interim :status=103 link=</x>", "1 data world", "1 end", "3 data a", "3 trailers grpc-status=0", "3 end", "5 end",
      "pong 7", "settings acknowledged",
    ]
    #expect(Set(whole.transcript).isSuperset(of: expected), "\(whole.transcript)")
    for cut in 0...bytes.count {
      let other = client()
      other.read(Array(bytes[..<cut]))
      other.read(Array(bytes[cut...]))
      other.endRun()
      #expect(other.transcript == whole.transcript, "cut at \(cut)")
    }
  }

  @Test("A conversation ends with both sides having forgotten all streams", arguments: [40, 1000, 1 << 20])
  func wholeConversation(limit: Int) {
    let client = Self.startedClient()
    let server = Endpoint(.server)
    exchange(client, server, limit: limit)
    Self.answer(on: server)
    exchange(client, server, limit: limit)
    #expect(client.openStreams == 0)
    #expect(server.openStreams == 0)
    for stream in [1, 3, 5] {
      #expect(client.transcript.contains("\(stream) closed"))
      #expect(server.transcript.contains("\(stream) closed"))
      #expect(server.transcript.contains("\(stream) end sent"))
    }
    #expect(client.violation == nil && server.violation == nil)
  }

  @Test("The size of a header block is that of its compressed bytes, on both sides")
  func wireSizes() throws {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    let stream = try #require(client.submit(request("/", [("x-long", String(repeating: "~", count: 40_000))])))
    let frames = Frame.reading(client.write())
    let size = frames.filter { $0.type == 1 || $0.type == 9 }.map(\.payload.count).reduce(0, +)
    #expect(frames.contains { $0.type == 9 })
    #expect(client.transcript.contains("\(stream) head sent \(size)"))
    server.read(Frame.preface + frames.flatMap(\.bytes))
    #expect(server.requests[stream]?.wireSize == size)
  }

  @Test("Padding and priority are no part of a header block, and padding none of content")
  func padding() {
    let server = Endpoint.server()
    let block = Frame.block(request())
    let payload = [3, 0, 0, 0, 0, 15] + block + [0, 0, 0]
    let data: [UInt8] = [200, 97, 98] + [UInt8](repeating: 0, count: 200)
    server.read([
      Frame(type: 1, flags: Frame.endHeaders | Frame.padded | 0x20, stream: 1, payload: payload),
      Frame(type: 0, flags: Frame.padded | Frame.endStream, stream: 1, payload: data),
    ])
    #expect(server.requests[1]?.wireSize == block.count)
    #expect(server.received[1] == 2)
    #expect(server.transcript.suffix(2) == ["1 data ab", "1 end"])
  }

  @Test("A line that must not be indexed is sent on as such")
  func neverIndexed() {
    var builder = HTTP2HeaderList.Builder()
    for (name, value) in request() { builder.append(name: name, value: value) }
    builder.append(name: "x-key", value: "secret", isNeverIndexed: true)
    let client = Endpoint(.client)
    _ = client.connection.submitRequest(builder.take(), method: .get, hasContent: false)
    let server = Endpoint(.server)
    server.read(client.write())
    let again = Endpoint(.client)
    if let list = server.requests[1]?.list { _ = again.connection.submitRequest(list, method: .get, hasContent: false) }
    let bytes = again.write()
    // RFC 7541 6.2.3: 0001, and a new name of four letters in five bits of Huffman code each, or more.
    let block: [UInt8] = Frame.reading(bytes).first { $0.type == 1 }.map(\.payload) ?? []
    #expect(block.contains(0x10))
    let third = Endpoint(.server)
    third.read(bytes)
    #expect(third.requests[1]?.list.texts.last?.value == "secret")
  }

  @Test("No more is serialised than was asked for, but for the frame that is begun")
  func outputLimit() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    client.submit(request(method: "PUT"), method: .put, hasContent: true)
    client.contents[1] = [.bytes([UInt8](repeating: 1, count: 60_000)), .end]
    exchange(client, server, limit: 4096)
    #expect(server.received[1] == 60_000)
    let sender = Endpoint(.client)
    sender.submit(request(method: "PUT"), method: .put, hasContent: true)
    sender.contents[1] = [.bytes([UInt8](repeating: 1, count: 60_000)), .end]
    while sender.connection.wantsOutput {
      let piece = sender.write(limit: 1000)
      #expect(piece.count <= 1000)
      if piece.isEmpty { break }
    }
  }

  @Test("A deferred stream is not pulled until it is resumed, and does not hold up others")
  func deferral() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    for _ in 0..<2 { client.submit(request(method: "PUT"), method: .put, hasContent: true) }
    client.contents[3] = [.bytes([1, 2, 3], isLast: true)]
    exchange(client, server)
    #expect(server.received == [3: 3])
    client.contents[1] = [.bytes([1], isLast: true)]
    exchange(client, server)
    #expect(server.received == [3: 3])
    client.connection.resume(1)
    exchange(client, server)
    #expect(server.received == [1: 1, 3: 3])
  }
}

import TapelineHTTP
import TapelineHTTP2
import Testing

@Suite struct HTTP2ShutdownTests {
  @Test("RFC 9113 6.8: a server goes away in two steps, and loses no request that was in flight")
  func gracefulShutdown() {
    let client = Endpoint(.client)
    let server = Endpoint(.server)
    client.submit()
    exchange(client, server)
    server.connection.beginShutdown()
    // In flight while the first GOAWAY is.
    client.submit(request("/late"))
    let late = client.write()
    let first = server.write()
    let goAways = Frame.reading(first).filter(\.isGoAway)
    #expect(goAways.map { $0.number() } == [0x7FFF_FFFF])
    server.read(late)
    client.read(first)
    #expect(client.transcript.contains("goaway \(Int32.max) NO_ERROR"))
    #expect(!client.mayOpenStream)
    #expect(client.submit() == nil)
    exchange(client, server)
    // The ping has come back: now the last stream is named.
    #expect(client.transcript.contains("goaway 3 NO_ERROR"))
    #expect(!server.isFinished)
    for stream: HTTP2StreamID in [1, 3] { server.respond(stream) }
    exchange(client, server)
    #expect(client.responses.keys.sorted() == [1, 3])
    #expect(server.isFinished)
    #expect(client.isFinished)
    #expect(client.violation == nil && server.violation == nil)
  }

  @Test("RFC 9113 6.8: streams above the last one of a GOAWAY were not processed, and are told as such")
  func unprocessedStreams() {
    let client = Endpoint.client(requests: 3)
    client.read([.goAway(last: 1)])
    #expect(client.transcript.contains("goaway 1 NO_ERROR"))
    for stream in [3, 5] {
      #expect(client.transcript.contains("\(stream) reset REFUSED_STREAM by goAway"))
      #expect(client.transcript.contains("\(stream) closed"))
    }
    client.read([.headers(1, [(":status", "200")])])
    #expect(client.responses.keys.sorted() == [1])
    client.write()
    #expect(client.isFinished)
  }

  @Test("A request that could not leave before a GOAWAY is told as unsent")
  func unsentRequests() {
    let client = Endpoint.client()
    client.submit()
    client.read([.goAway(last: 1)])
    client.write()
    #expect(client.transcript.contains { $0.hasPrefix("3 reset") })
    #expect(client.transcript.contains("3 closed"))
  }

  @Test("Requests beyond the peer's limit wait, and the owner can know")
  func slots() {
    let client = Endpoint.client()
    client.read([.settings([(3, 1)])])
    #expect(!client.mayOpenStream)
    client.read([.headers(1, [(":status", "200")])])
    client.write()
    #expect(client.mayOpenStream)
  }

  @Test("A client goes away in one step, and gets its answers")
  func clientShutdown() {
    let client = Endpoint.client()
    client.connection.beginShutdown()
    #expect(client.submit() == nil && !client.mayOpenStream)
    #expect(Frame.reading(client.write()).filter(\.isGoAway).map { $0.number(at: 4) } == [0])
    client.read([.headers(1, [(":status", "200")])])
    client.write()
    #expect(client.responses.count == 1)
    #expect(client.isFinished)
  }

  @Test("RFC 9113 5.4.1: after an error of the connection nothing is read, and GOAWAY is the last frame")
  func connectionErrors() {
    let server = Endpoint.server()
    server.read([.headers(1, request()), .data(0, [1]), .headers(3, request())])
    let output = Frame.reading(server.write())
    #expect(output.last?.isGoAway == true)
    #expect(server.transcript.last == "failed PROTOCOL_ERROR")
    server.read([.headers(5, request())])
    #expect(server.write().isEmpty)
    #expect(server.transcript.last == "failed PROTOCOL_ERROR")
    #expect(server.isFinished)
    #expect(server.requests.count == 1)
  }
}

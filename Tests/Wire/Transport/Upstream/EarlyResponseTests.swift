import TapelineHTTP
import TapelineTestSupport
import Testing

@testable import TapelineTransport

/// Responses that are complete before their requests are: who ends what is for the two ends to say (RFC 9112 9.3).
@Suite("Early responses in HTTP/1.1")
struct EarlyResponseTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// A client's upload with a length.
  private func upload(to origin: ScriptedOrigin, _ size: Int, _ connections: PairedConnections) throws -> OutgoingRequest {
    let head = try RequestHead(method: .post, target: "/", fields: HeaderFields([("Content-Length", "\(size)")]))
    return OutgoingRequest(
      head: head, framing: .length(UInt64(size)), route: origin.route, sender: .client, connections: connections)
  }

  @Test("After an early response the rest of a client's request follows, and the connection goes on (RFC 9112 9.3)")
  func earlyResponse() throws {
    // More than the kernel holds.
    let size = 16 << 20
    let origin = try ScriptedOrigin([
      .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .expect(bytes: size), .expectRequest,
      .respond(body: "next"), .expectEnd,
    ])
    let wire = try Wire()
    let connections = PairedConnections()
    let first = try wire.run(try upload(to: origin, size, connections), body: [UInt8](repeating: 7, count: size))
    #expect(first.error == nil && first.received == Array("ok".utf8))
    let next = OutgoingRequest(
      head: try RequestHead(method: .get, target: "/"), framing: .none, route: origin.route, sender: .client,
      connections: connections)
    let second = try wire.run(next)
    #expect(second.error == nil && second.received == Array("next".utf8))
    #expect(second.metrics.connection?.id == first.metrics.connection?.id && origin.connections.count == 1)
    #expect(second.metrics.bytesSent < 1000, "the bytes of the first request are not the second's")
    wire.onLoop { _ in connections.close() }
  }

  @Test("The response is told when it is complete, and the exchange goes on until its request is")
  func pacedUpload() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.answer), .expect(bytes: 6), .expectEnd])
    let (wire, connections) = (try Wire(), PairedConnections())
    let run = try wire.begin(try upload(to: origin, 6, connections), isOpenEnded: true)
    try run.waitForEvent("end of response")
    run.feed(Array("abc".utf8))
    #expect(run.outcome.events.last == "end of response")
    run.feed(Array("def".utf8), isLast: true)
    let outcome = try run.wait()
    #expect(outcome.error == nil && outcome.events == ["head 200", "body ok", "end of response", "metrics", "complete nil"])
    #expect(outcome.metrics.bytes.requestBody == 6)
    wire.onLoop { _ in connections.close() }
  }

  @Test("An origin that ends its direction after an early response still gets the rest of the request")
  func halfClosed() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.answer), .halfClose, .expect(bytes: 6), .close])
    let (wire, connections) = (try Wire(), PairedConnections())
    let run = try wire.begin(try upload(to: origin, 6, connections), isOpenEnded: true)
    try run.waitForEvent("end")
    run.feed(Array("abcdef".utf8), isLast: true)
    let outcome = try run.wait()
    #expect(outcome.error == nil && outcome.metrics.bytes.requestBody == 6)
    #expect(origin.connections.first?.received.count ?? 0 > 6)
    wire.onLoop { _ in connections.close() }
  }

  @Test("An origin that resets the connection after an early response ends the exchange in its request")
  func reset() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.answer), .expect(bytes: 3), .reset])
    let (wire, connections) = (try Wire(), PairedConnections())
    let run = try wire.begin(try upload(to: origin, 6, connections), isOpenEnded: true)
    try run.waitForEvent("end of response")
    run.feed(Array("abc".utf8))
    let outcome = try run.wait()
    #expect(outcome.error?.kind == .reset && outcome.error?.phase == .send)
    wire.onLoop { _ in connections.close() }
  }

  @Test("Bytes behind an early response answer nothing: the connection is not used again")
  func excess() throws {
    let origin = try ScriptedOrigin([.expectHead, .send(Self.answer + "HTTP/1.1 200 OK"), .expect(bytes: 6), .expectEnd])
    let (wire, connections) = (try Wire(), PairedConnections())
    let run = try wire.begin(try upload(to: origin, 6, connections), isOpenEnded: true)
    try run.waitForEvent("end of response")
    run.feed(Array("abcdef".utf8), isLast: true)
    #expect(try run.wait().error == nil)
    #expect(try origin.waitForFinished(1).first?.end != nil)
    wire.onLoop { _ in connections.close() }
  }
}

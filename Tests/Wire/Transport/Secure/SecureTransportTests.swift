import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

/// Exchanges over TLS, with an origin that speaks it.
@Suite struct SecureTransportTests {
  let authority: TestAuthority

  init() throws {
    authority = try TestAuthority()
  }

  private func makeWire(
    _ context: TLSClientContext? = nil, _ configure: (inout NetworkTransport.Configuration) -> Void = { _ in }
  ) throws -> Wire {
    let context = try context ?? authority.clientContext()
    return try Wire { configuration in
      configuration.tls = context
      configure(&configuration)
    }
  }

  private static let respondForEver: @Sendable (SecurePeer, Int) throws -> Void = { peer, _ in
    while true {
      try peer.receiveHead()
      try peer.respond(body: "hello")
    }
  }

  private static let respondOnce: @Sendable (SecurePeer, Int) throws -> Void = { peer, _ in
    try peer.receiveHead()
    try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
    _ = try peer.receiveEnd()
  }

  // MARK: Exchanges

  @Test func anExchangeIsTheSameAsWithoutTLS() throws {
    let origin = try ScriptedOrigin(authority) { peer, _ in
      #expect(try peer.receiveHead().hasPrefix("GET / HTTP/1.1\r\nHost: 127.0.0.1:"))
      try peer.send("HTTP/1.1 103 Early Hints\r\n\r\n")
      try peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n")
      _ = try peer.receiveEnd()
    }
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(
      outcome.events == [
        "informational 103", "head 200", "body abc", "trailers X-Sum: 9", "metrics", "complete nil",
      ])
    let tls = try #require(outcome.metrics.tls)
    #expect(tls.version == .tls13)
    #expect(tls.applicationProtocol == .http11)
    #expect(tls.serverName == "localhost")
    #expect(tls.verification == .verified)
    #expect(tls.certificate?.names == ["localhost"])
    #expect(!tls.isResumed)
    #expect(outcome.metrics.tlsFailure == nil)
  }

  @Test func theMarksOfTheHandshakeLieBetweenConnectAndSend() throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondForEver)
    let wire = try makeWire()
    let metrics = try wire.run(.secureGet(origin)).metrics
    let order: [TimelineMark] = [
      .queued, .connectStart, .connectEnd, .tlsStart, .tlsEnd, .sentFirst, .sentLast, .responseFirstByte, .responseHeadEnd,
      .responseLastByte,
    ]
    let instants = try order.map { try #require(metrics.marks[$0], "\($0)") }
    #expect(instants == instants.sorted())

    let second = try wire.run(.secureGet(origin)).metrics
    #expect(second.connection?.isReused == true)
    #expect(second.marks[.tlsStart] == nil && second.marks[.tlsEnd] == nil)
    #expect(second.tls == metrics.tls, "what was negotiated stays true")
  }

  @Test func countsAreOfPlaintext() throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondForEver)
    let wire = try makeWire()
    let metrics = try wire.run(.secureGet(origin)).metrics
    let head = "GET / HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
    #expect(metrics.bytesSent == UInt64(head.utf8.count))
    #expect(metrics.bytesReceived == UInt64("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8.count))
  }

  @Test(arguments: [BodyFraming.length(700_000), .chunked])
  func anUploadArrivesWhole(framing: BodyFraming) throws {
    let body = patternedBytes(700_000)
    let origin = try ScriptedOrigin(authority) { peer, _ in
      let head = try peer.receiveHead()
      if head.contains("chunked") {
        var received: [UInt8] = []
        while case let size = Int(try peer.receive(through: "\r\n").dropLast(), radix: 16) ?? 0, size > 0 {
          received += try peer.receive(exactly: size)
          #expect(try peer.receive(through: "\r\n") == "\r\n")
        }
        _ = try peer.receive(through: "\r\n")
        #expect(received == body)
      } else {
        #expect(try peer.receive(exactly: body.count) == body)
      }
      try peer.respond(body: "thanks")
      _ = try peer.receiveEnd()
    }
    let outcome = try makeWire().run(.securePost(origin, framing: framing), body: body)
    #expect(outcome.received == Array("thanks".utf8))
    #expect(outcome.metrics.bytesSent > UInt64(body.count))
  }

  @Test func aReceiverThatPausesGetsAllInTheEnd() throws {
    let body = patternedBytes(5_000_000)
    let origin = try ScriptedOrigin(authority) { peer, _ in
      try peer.receiveHead()
      try peer.send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
      _ = try peer.receiveEnd()
    }
    let wire = try makeWire()
    let run = try wire.begin(.secureGet(origin))
    run.pause()
    try run.waitForEvent("head 200")
    run.resume()
    let outcome = try run.wait()
    #expect(outcome.received == body)
  }

  // MARK: Which connection

  @Test func securityAndServerNameKeepConnectionsApart() throws {
    let credentials = try authority.credentials(for: "localhost")
    let origin = try ScriptedOrigin(authority, credentials: credentials, script: Self.respondForEver)
    let wire = try makeWire(authority.clientContext(verifies: false))
    let first = try wire.run(.secureGet(origin)).metrics
    let other = try wire.run(.secureGet(origin, serverName: "other.test")).metrics
    let again = try wire.run(.secureGet(origin)).metrics
    #expect(other.connection?.isReused == false)
    #expect(other.tls?.serverName == "other.test")
    #expect(again.connection?.id == first.connection?.id)
  }

  @Test(arguments: [TLSVersion.tls12, .tls13])
  func aSecondConnectionResumesTheSessionOfTheFirst(version: TLSVersion) throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondOnce)
    let wire = try makeWire(authority.clientContext(policy: TLSPolicy(maximumVersion: version)))
    let resumed = try (0..<4).map { _ in try #require(try wire.run(.secureGet(origin)).metrics.tls).isResumed }
    #expect(resumed == [false, true, true, true])
  }

  @Test func sessionsAreNotSharedBetweenServerNames() throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondOnce)
    let wire = try makeWire(authority.clientContext(verifies: false))
    _ = try wire.run(.secureGet(origin))
    #expect(try wire.run(.secureGet(origin, serverName: "other.test")).metrics.tls?.isResumed == false)
  }

  @Test func aConnectionThatTheOriginHasClosedIsNotUsed() throws {
    let origin = try ScriptedOrigin(authority) { peer, number in
      try peer.receiveHead()
      try peer.respond(body: "\(number)")
      if number == 0 { return }
      _ = try peer.receiveEnd()
    }
    let wire = try makeWire()
    #expect(try wire.run(.secureGet(origin)).received == Array("0".utf8))
    _ = try origin.waitForFinished(1)
    #expect(try wire.run(.secureGet(origin)).received == Array("1".utf8))
  }

  // MARK: Certificates

  enum Fault: CaseIterable {
    case expired, notYetValid, selfSigned, unknownAuthority, hostMismatch
  }

  private func credentials(with fault: Fault) throws -> TLSCredentials {
    switch fault {
    case .expired: try authority.credentials(for: "localhost", validity: -7200 ... -3600)
    case .notYetValid: try authority.credentials(for: "localhost", validity: 3600...7200)
    case .selfSigned: try authority.selfSignedCredentials(for: "localhost")
    case .unknownAuthority: try TestAuthority().credentials(for: "localhost")
    case .hostMismatch: try authority.credentials(for: "other.test")
    }
  }

  @Test(
    arguments: zip(
      Fault.allCases,
      [CertificateProblem.expired, .notYetValid, .selfSigned, .unknownAuthority, .hostMismatch]))
  func aBadCertificateIsRefused(fault: Fault, problem: CertificateProblem) throws {
    let origin = try ScriptedOrigin(authority, credentials: credentials(with: fault), script: Self.respondForEver)
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(outcome.error?.kind == .certificate(problem))
    #expect(outcome.error?.origin == .upstream)
    #expect(outcome.error?.phase == .tls)
    #expect(outcome.metrics.tlsFailure?.certificate?.names == [fault == .hostMismatch ? "other.test" : "localhost"])
    #expect(outcome.metrics.tls == nil)
    #expect(outcome.metrics.bytesSent == 0, "the request stayed here")
    #expect(outcome.metrics.marks[.tlsStart] != nil)
    #expect(outcome.metrics.marks[.tlsEnd] == nil)
    #expect(outcome.metrics.marks[.sentFirst] == nil)
    #expect(try origin.waitForFinished(1).first?.failure != nil, "the origin was told, too")
  }

  @Test(arguments: Fault.allCases)
  func unlessVerificationIsTurnedOff(fault: Fault) throws {
    let origin = try ScriptedOrigin(authority, credentials: credentials(with: fault), script: Self.respondForEver)
    let outcome = try makeWire(authority.clientContext(verifies: false)).run(.secureGet(origin))
    #expect(outcome.error == nil)
    switch try #require(outcome.metrics.tls).verification {
    case .unverified: break
    case .verified, .notAsked: Issue.record("a certificate with a fault was taken for a good one")
    }
  }

  @Test func anAddressIsVerifiedAsAnAddress() throws {
    let origin = try ScriptedOrigin(
      authority, credentials: authority.credentials(for: "127.0.0.1"), script: Self.respondForEver)
    let outcome = try makeWire().run(.secureGet(origin, serverName: "127.0.0.1"))
    #expect(outcome.error == nil)
    #expect(outcome.metrics.tls?.serverName == nil, "addresses are no server names (RFC 6066 3)")
  }

  @Test func withoutTLSThereAreNoSecureRoutes() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let outcome = try Wire().run(.secureGet(origin))
    #expect(outcome.error?.phase == .tls)
    #expect(outcome.metrics.tlsFailure == nil)
  }

  // MARK: Other failures

  @Test func anOriginThatSpeaksPlainHTTPIsNoTLS() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .expectEnd])
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(outcome.error?.kind == .protocolViolation)
    #expect(outcome.error?.phase == .tls)
    #expect(outcome.metrics.tlsFailure?.kind == .notTLS)
  }

  @Test func anOriginThatClosesInTheHandshakeIsAnErrorOfThePhaseTLS() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .halfClose, .expectEnd])
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(outcome.error?.kind == .closed)
    #expect(outcome.error?.phase == .tls)
    #expect(outcome.metrics.attempts == 1)
  }

  @Test func anOriginThatResetsInTheHandshakeToo() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .reset])
    let error = try makeWire().run(.secureGet(origin)).error
    #expect(error?.kind == .reset)
    #expect(error?.phase == .tls)
    #expect(error?.origin == .upstream)
  }

  @Test func aSilentOriginIsGivenUp() throws {
    let origin = try ScriptedOrigin([.expectEnd])
    let outcome = try makeWire { $0.connectTimeout = .milliseconds(80) }.run(.secureGet(origin))
    #expect(outcome.error?.kind == .timedOut)
    #expect(outcome.error?.phase == .tls)
    #expect(outcome.metrics.marks[.tlsStart] != nil)
  }

  @Test func anOriginsAlertIsTold() throws {
    let context = try TLSServerContext(policy: TLSPolicy(minimumVersion: .tls13))
    let origin = try ScriptedOrigin(authority, context: context, script: Self.respondForEver)
    let outcome = try makeWire(authority.clientContext(policy: TLSPolicy(maximumVersion: .tls12))).run(.secureGet(origin))
    #expect(outcome.error?.kind == .alert("protocol_version"))
    #expect(outcome.error?.phase == .tls)
  }

  @Test func aTaskIsCancelledInTheHandshake() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .expectEnd])
    let wire = try makeWire()
    let run = try wire.begin(.secureGet(origin))
    _ = try origin.waitForConnections(1)
    run.task.cancel()
    #expect(try run.wait().error?.kind == .cancelled)
    #expect(try origin.waitForFinished(1).first?.end != nil)
  }

  // MARK: Ends

  @Test("A client's response that the close ends may end without close_notify: that is for the client to judge")
  func aBodyThatTheCloseEndsNeedsNoCloseNotify() throws {
    let origin = try ScriptedOrigin(authority) { peer, number in
      try peer.receiveHead()
      try peer.send("HTTP/1.1 200 OK\r\n\r\nall of it")
      if number == 0 { try peer.shutdownOutput() }
    }
    let wire = try makeWire()
    let whole = try wire.run(.secureGet(origin))
    #expect(whole.error == nil)
    #expect(whole.received == Array("all of it".utf8))
    let cut = try wire.run(.secureGet(origin))
    #expect(cut.error == nil)
    #expect(cut.received == Array("all of it".utf8))
  }

  @Test func aBodyThatIsCompleteDoesNot() throws {
    let origin = try ScriptedOrigin(authority) { peer, _ in
      try peer.receiveHead()
      try peer.respond(body: "whole")
    }
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(outcome.error == nil)
    #expect(outcome.received == Array("whole".utf8))
  }

  @Test func aBodyThatBreaksOffIsAnError() throws {
    let origin = try ScriptedOrigin(authority) { peer, _ in
      try peer.receiveHead()
      try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      try peer.shutdownOutput()
    }
    let outcome = try makeWire().run(.secureGet(origin))
    #expect(outcome.error?.kind == .closed)
    #expect(outcome.error?.phase == .receive)
  }

  // MARK: Streams

  @Test func anUpgradeWorksOverTLS() throws {
    let origin = try ScriptedOrigin(authority) { peer, _ in
      try peer.receiveHead()
      try peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: test/1\r\nConnection: Upgrade\r\n\r\nearly")
      #expect(try peer.receive(exactly: 4) == Array("ping".utf8))
      try peer.send("pong")
      try peer.shutdownOutput()
      #expect(try peer.receiveEnd().isEmpty)
    }
    let head = try RequestHead(
      method: .get, target: "https://\(origin.authority)/", fields: ["Upgrade": "test/1", "Connection": "Upgrade"])
    let request = OutgoingRequest(head: head, framing: .none, route: origin.secureRoute(), allowsUpgrade: true)
    let wire = try makeWire()
    let run = try wire.begin(request)
    _ = try run.waitForBytes(5)
    run.send("ping")
    try run.waitForEvent("end")
    run.finishSending()
    let outcome = try run.wait()
    #expect(outcome.error == nil)
    #expect(outcome.received == Array("earlypong".utf8))
    #expect(try origin.waitForFinished(1).first?.failure == nil)
  }

  @Test func aStreamMayBeSecure() throws {
    let origin = try ScriptedOrigin(authority) { peer, _ in
      #expect(try peer.receive(exactly: 4) == Array("ping".utf8))
      try peer.send("pong")
      _ = try peer.receiveEnd()
      try peer.shutdownOutput()
    }
    let wire = try makeWire()
    let stream = try wire.open(origin.secureRoute())
    stream.send("ping")
    #expect(try stream.waitForBytes(4) == Array("pong".utf8))
    stream.finishSending()
    let outcome = try stream.wait()
    #expect(outcome.error == nil)
    #expect(outcome.metrics.tls?.version == .tls13)
  }

  // MARK: Prepared connections

  @Test(arguments: [true, false])
  func aPreparedConnectionIsSecuredAheadOrAtFirstUse(ahead: Bool) throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondForEver)
    let wire = try makeWire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    let opened = try stream.wait().metrics
    if ahead { wire.onLoop { _ in prepared.startTLS(serverName: "localhost") } }
    let outcome = try wire.run(.secureGet(origin, prepared: prepared))
    #expect(outcome.received == Array("hello".utf8))
    let metrics = outcome.metrics
    #expect(metrics.connection?.id == opened.connection?.id)
    #expect(metrics.connection?.isReused == false)
    #expect(metrics.marks[.connectEnd] == opened.marks[.connectEnd])
    let order: [TimelineMark] = [.queued, .connectStart, .connectEnd, .tlsStart, .tlsEnd, .sentFirst]
    let instants = try order.map { try #require(metrics.marks[$0], "\($0)") }
    #expect(instants == instants.sorted())
    #expect(try wire.run(.secureGet(origin)).metrics.connection?.isReused == true, "the pool knows it by its security")
    #expect(origin.connections.count == 1)
  }

  @Test func theEndOfAnEarlyHandshakeIsTold() throws {
    let origin = try ScriptedOrigin(authority, script: Self.respondForEver)
    let wire = try makeWire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    let ended = Event<TLSParameters?>()
    wire.onLoop { _ in
      prepared.onHandshakeEnd { ended.signal(try? $0.get()) }
      prepared.startTLS(serverName: "localhost")
    }
    #expect(try ended.wait()?.version == .tls13)
    #expect(try wire.run(.secureGet(origin, prepared: prepared)).error == nil)
  }

  @Test func aTaskIsToldOfAnEarlyHandshakeThatFailed() throws {
    let origin = try ScriptedOrigin(authority, credentials: credentials(with: .expired), script: Self.respondForEver)
    let wire = try makeWire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    let ended = Event<TransportError.Kind?>()
    wire.onLoop { _ in
      prepared.onHandshakeEnd { result in
        if case .failure(let error) = result { ended.signal(error.kind) } else { ended.signal(nil) }
      }
      prepared.startTLS(serverName: "localhost")
    }
    #expect(try ended.wait() == .certificate(.expired))
    let outcome = try wire.run(.secureGet(origin, prepared: prepared))
    #expect(outcome.error?.kind == .certificate(.expired))
    #expect(outcome.metrics.tlsFailure?.certificate?.names == ["localhost"])
    #expect(outcome.metrics.connection?.address == "127.0.0.1")
    #expect(outcome.metrics.marks[.tlsStart] != nil)
    #expect(outcome.metrics.marks[.tlsEnd] == nil)
    // Told once: the next one tries again.
    #expect(wire.onLoop { _ in !prepared.isUsable })
  }

  @Test("RFC 7301 3.2: an origin that speaks none of the offered protocols says so by its alert")
  func thatNoProtocolIsSharedIsTold() throws {
    let context = try TLSServerContext(applicationProtocols: [.http2])
    let origin = try ScriptedOrigin(authority, context: context, script: Self.respondForEver)
    let wire = try makeWire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    let ended = Event<TransportError.Kind?>()
    wire.onLoop { _ in
      prepared.onHandshakeEnd { result in
        if case .failure(let error) = result { ended.signal(error.kind) } else { ended.signal(nil) }
      }
      prepared.startTLS(
        serverName: "localhost",
        following: ClientHandshake(lineage: 1, resumed: nil, applicationProtocols: [.http11]))
    }
    #expect(try ended.wait() == .alert("no_application_protocol"))
  }

  @Test func aPreparedConnectionMayBeDroppedInItsHandshake() throws {
    let origin = try ScriptedOrigin([.expect(bytes: 5), .expectEnd])
    let wire = try makeWire()
    let stream = try wire.open(origin.route)
    let prepared = try #require(wire.onLoop { _ in stream.task.detach()?.connection })
    wire.onLoop { _ in
      prepared.startTLS(serverName: "localhost")
      prepared.close()
    }
    #expect(wire.onLoop { _ in !prepared.isUsable })
    #expect(try origin.waitForFinished(1).first?.end != nil)
  }
}

/// Something that happens once, on another thread.
private final class Event<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let happened = DispatchSemaphore(value: 0)

  func signal(_ value: Value) {
    self.value.withLock { $0 = value }
    happened.signal()
  }

  func wait() throws -> Value {
    guard happened.wait(timeout: .now() + 120) == .success, let value = value.withLock({ $0 }) else {
      throw TestSupportError.timedOut(waitingFor: "an event")
    }
    return value
  }
}

import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

/// TLS over a channel: both ends in this process, over loopback TCP.
@Suite struct SecureChannelTests {
  let authority: TestAuthority

  init() throws {
    authority = try TestAuthority()
  }

  private func makePair(
    clientContext: TLSClientContext? = nil, credentials: TLSCredentials? = nil, serverName: String = "localhost",
    holdsProtocol: Bool = false
  ) throws -> SecurePair {
    try SecurePair(
      authority: authority, clientContext: clientContext, credentials: credentials, serverName: serverName,
      holdsProtocol: holdsProtocol)
  }

  // MARK: The handshake

  @Test func bothEndsHearOfTheSameAgreement() throws {
    let pair = try makePair()
    let before = MonotonicInstant.now
    try pair.secure()
    let client = try #require(pair.clientHandler.parameters)
    let server = try #require(pair.serverHandler.parameters)
    #expect(client.version == .tls13 && server.version == .tls13)
    #expect(client.cipher == server.cipher)
    #expect(client.applicationProtocol == .http11)
    #expect(pair.clientHandler.events.first == .secured)
    #expect(pair.serverHandler.story == [.secured])
    for (channel, handler) in [(pair.client, pair.clientHandler), (pair.server, pair.serverHandler)] {
      let began = try #require(channel.handshakeBegan)
      let ended = try #require(handler.securedAt)
      #expect(before <= began && began < ended && ended <= .now)
    }
  }

  @Test func theHandshakeIsNoByteOfTheHandlers() throws {
    let pair = try makePair()
    try pair.secure()
    pair.settle()
    #expect(pair.clientHandler.written == 0 && pair.serverHandler.written == 0)
    #expect(!pair.clientHandler.events.contains(.wrote(0)) && !pair.serverHandler.events.contains(.wrote(0)))
  }

  @Test func whatTheOwnerHadReadIsPartOfTheHandshake() throws {
    let pair = try makePair()
    let reader = ChannelReader(pair.server.channel)
    pair.client.start()
    pair.serve { reader.received.count > 5 }
    pair.server.channel.handler = pair.server
    pair.server.start(with: reader.received, at: .now)
    #expect(pair.serverHandler.events.isEmpty, "nothing is told from inside the call")
    pair.serve { pair.clientHandler.parameters != nil && pair.serverHandler.parameters != nil }
  }

  @Test func whatWasSentBeforeTLSIsNotCounted() throws {
    let pair = try makePair()
    // As after a CONNECT: the answer is still queued when TLS takes over the channel.
    let reader = ChannelReader(pair.client.channel)
    pair.server.channel.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8).span)
    let server = SecureChannel(
      channel: pair.server.channel,
      engine: try TLSEngine(server: authority.serverContext, credentials: try authority.credentials(for: "localhost")),
      buffer: PlaintextBuffer())
    let handler = SecureRecordingHandler()
    server.handler = handler
    pair.serve { reader.received.count == 19 }
    pair.client.channel.handler = pair.client
    pair.client.start()
    server.start(with: [], at: .now)
    pair.serve { handler.parameters != nil }
    server.write(Array("x".utf8).span)
    pair.serve { !pair.clientHandler.received.isEmpty }
    #expect(handler.written == 1)
    server.close()
  }

  @Test func nothingIsSentBeforeTheHandshakeHasEnded() throws {
    let pair = try makePair()
    pair.client.write(Array("too early".utf8).span)
    #expect(pair.client.bufferedBytes == 0)
    try pair.secure()
    pair.settle()
    #expect(pair.serverHandler.received.isEmpty)
  }

  @Test func anUntrustedServerIsRefusedAndToldByAlert() throws {
    let stranger = try TestAuthority()
    let pair = try makePair(credentials: try stranger.credentials(for: "localhost"))
    pair.start()
    pair.serve { !pair.clientHandler.events.isEmpty && !pair.serverHandler.events.isEmpty }
    #expect(pair.clientHandler.events == [.failed(.certificate(.unknownAuthority))])
    #expect(pair.client.failure?.certificate?.names == ["localhost"])
    #expect(!pair.client.isOpen)
    #expect(pair.serverHandler.story.last == .failed(.alert("unknown_ca")))
  }

  @Test func aPeerThatSpeaksNoTLSIsRefused() throws {
    let pair = try makePair()
    let reader = ChannelReader(pair.client.channel)
    pair.client.channel.write(Array("GET / HTTP/1.1\r\n\r\n".utf8).span)
    pair.serve { !pair.serverHandler.events.isEmpty }
    #expect(pair.serverHandler.events == [.failed(.protocolViolation)])
    #expect(pair.server.failure?.kind == .notTLS)
    pair.serve { reader.ended }
  }

  @Test func aPeerThatLeavesDuringTheHandshakeIsAFailure() throws {
    let pair = try makePair()
    pair.client.start()
    pair.server.channel.handler = nil
    pair.server.channel.shutdownOutput()
    pair.serve { !pair.clientHandler.events.isEmpty }
    #expect(pair.clientHandler.events == [.failed(.closed)])
  }

  // MARK: The choice of a protocol

  private func makeHoldingPair() throws -> SecurePair {
    try makePair(
      clientContext: try authority.clientContext(applicationProtocols: [.http2, .http11]), holdsProtocol: true)
  }

  @Test(arguments: [true, false]) func aClientIsAnsweredWhenItsProtocolIsChosen(helloComesFirst: Bool) throws {
    let pair = try makeHoldingPair()
    if helloComesFirst {
      pair.start()
      pair.settle()
      #expect(pair.clientHandler.events.isEmpty && pair.serverHandler.events.isEmpty)
    }
    #expect(pair.server.answer(with: [.http2]))
    #expect(pair.serverHandler.events.isEmpty, "nothing is told from inside the call")
    if !helloComesFirst { pair.start() }
    pair.serve { pair.clientHandler.parameters != nil && pair.serverHandler.parameters != nil }
    #expect(pair.clientHandler.parameters?.applicationProtocol == .http2)
    #expect(pair.serverHandler.parameters?.applicationProtocol == .http2)
    #expect(!pair.server.answer(with: [.http11]), "there is one answer")
  }

  @Test func aClientThatLeavesUnansweredIsAFailure() throws {
    let pair = try makeHoldingPair()
    pair.start()
    pair.settle()
    pair.client.close()
    pair.serve { !pair.serverHandler.events.isEmpty }
    #expect(pair.serverHandler.events == [.failed(.closed)])
    #expect(!pair.server.answer(with: [.http2]))
  }

  @Test func aChoiceThatTheClientDoesNotOfferIsAnAlert() throws {
    let pair = try makeHoldingPair()
    pair.start()
    pair.settle()
    #expect(pair.server.answer(with: [ApplicationProtocol(name: "spdy/3")]))
    #expect(pair.serverHandler.events.isEmpty, "nothing is told from inside the call")
    pair.serve { !pair.clientHandler.events.isEmpty && !pair.serverHandler.events.isEmpty }
    #expect(pair.serverHandler.events == [.failed(.protocolViolation)])
    #expect(pair.clientHandler.events == [.failed(.alert("no_application_protocol"))])
  }

  // MARK: Bytes

  @Test(arguments: [1, 100, 16_383, 16_384, 16_385, 100_000, 2_000_000])
  func bytesArriveInBothDirections(count: Int) throws {
    let bytes = patternedBytes(count)
    let pair = try makePair()
    try pair.secure()
    pair.client.write(bytes.span)
    pair.server.write(bytes.span)
    pair.serve { pair.clientHandler.received.count == count && pair.serverHandler.received.count == count }
    #expect(pair.clientHandler.received == bytes)
    #expect(pair.serverHandler.received == bytes)
    pair.serve { pair.client.bufferedBytes == 0 && pair.server.bufferedBytes == 0 }
    #expect(pair.clientHandler.written == count && pair.serverHandler.written == count, "counted as plaintext")
  }

  @Test func whatATurnProducesLeavesTogether() throws {
    let pair = try makePair()
    try pair.secure()
    pair.settle()
    pair.client.withOutput { $0 += Array("head ".utf8) }
    pair.client.write(Array("body ".utf8).span)
    pair.client.write(Array("end".utf8).span)
    #expect(pair.client.bufferedBytes == 13)
    pair.serve { !pair.serverHandler.received.isEmpty }
    #expect(pair.serverHandler.story == [.secured, .received(13)])
    #expect(pair.clientHandler.events.filter { if case .wrote = $0 { true } else { false } } == [.wrote(13)])
  }

  @Test func wholeRecordsGoOutBetweenSmallWrites() throws {
    let large = patternedBytes(50_000)
    let pair = try makePair()
    try pair.secure()
    pair.client.withOutput { $0 += Array("c350\r\n".utf8) }
    pair.client.write(large.span)
    pair.client.withOutput { $0 += Array("\r\n".utf8) }
    let expected = Array("c350\r\n".utf8) + large + Array("\r\n".utf8)
    pair.serve { pair.serverHandler.received.count == expected.count }
    #expect(pair.serverHandler.received == expected)
  }

  // MARK: Back-pressure

  @Test func aReaderThatPausesHoldsTheWriterUp() throws {
    let pair = try makePair()
    try pair.secure()
    pair.client.pauseReading()
    let piece = patternedBytes(64 * 1024)
    var sent = 0
    pair.serve {
      if !pair.server.isAboveHighWater {
        pair.server.write(piece.span)
        sent += piece.count
      }
      return pair.server.isAboveHighWater && pair.server.channel.bufferedBytes >= Channel.highWaterMark
    }
    pair.settle()
    // What had been read when the pause came may still be delivered.
    #expect(pair.clientHandler.received.count <= 128 * 1024)
    #expect(!pair.serverHandler.events.contains(.drained))
    #expect(pair.serverHandler.written < sent)
    pair.client.resumeReading()
    pair.serve { pair.serverHandler.events.contains(.drained) }
    pair.serve { pair.clientHandler.received.count == sent }
    pair.serve { pair.serverHandler.written == sent }
  }

  @Test func aProducerInTheDrainCallbackIsNeverForgotten() throws {
    let pair = try makePair()
    try pair.secure()
    let piece = patternedBytes(10_000)
    let total = 8_000_000
    var sent = 0
    let produce = { [server = pair.server] in
      while sent < total, !server.isAboveHighWater {
        server.write(piece.span)
        sent += piece.count
      }
    }
    pair.serverHandler.onEvent = { if $0 == .drained { produce() } }
    produce()
    pair.serve { pair.clientHandler.received.count == total }
    #expect(sent == total)
  }

  // MARK: Ends

  @Test func oneDirectionEndsByCloseNotify() throws {
    let pair = try makePair()
    try pair.secure()
    pair.client.write(Array("all".utf8).span)
    pair.client.shutdownOutput()
    pair.client.shutdownOutput()
    pair.client.write(Array("too late".utf8).span)
    pair.serve { pair.serverHandler.events.contains(.end) }
    #expect(pair.serverHandler.story == [.secured, .received(3), .end])
    #expect(!pair.server.inputIsTruncated)
    pair.server.write(Array("answer".utf8).span)
    pair.server.closeAfterFlush()
    pair.serve { pair.clientHandler.events.contains(.end) }
    #expect(pair.clientHandler.received == Array("answer".utf8))
    pair.settle()
    #expect(pair.serverHandler.story.count { $0 == .end } == 1, "the end is reported once")
  }

  @Test func aBareFINIsATruncation() throws {
    let pair = try makePair()
    try pair.secure()
    pair.server.write(Array("half".utf8).span)
    pair.server.seal()
    pair.server.channel.shutdownOutput()
    pair.serve { pair.clientHandler.events.contains(.end) }
    #expect(pair.clientHandler.story == [.secured, .received(4), .end])
    #expect(pair.client.inputIsTruncated)
    #expect(pair.client.isOpen, "our direction is our own")
  }

  @Test func flushingBeforeTheEndLosesNothing() throws {
    let bytes = patternedBytes(1_000_000)
    let pair = try makePair()
    try pair.secure()
    pair.server.write(bytes.span)
    pair.server.closeAfterFlush()
    #expect(!pair.server.isOpen)
    pair.serve { pair.clientHandler.events.contains(.end) }
    #expect(pair.clientHandler.received == bytes)
    #expect(!pair.client.inputIsTruncated)
    #expect(pair.serverHandler.written == bytes.count, "writes are still reported")
  }

  @Test func closingTakesLeave() throws {
    let pair = try makePair()
    try pair.secure()
    pair.settle()
    pair.client.close()
    pair.client.close()
    pair.serve { pair.serverHandler.events.contains(.end) }
    #expect(!pair.server.inputIsTruncated)
  }

  @Test func closingOnBytesThatWaitIsATruncation() throws {
    let pair = try makePair()
    try pair.secure()
    pair.settle()
    pair.client.write(Array("dropped".utf8).span)
    pair.client.close()
    pair.serve { pair.serverHandler.events.contains(.end) }
    #expect(pair.serverHandler.received.isEmpty)
    #expect(pair.server.inputIsTruncated)
  }

  @Test func aResetIsAFailure() throws {
    let pair = try makePair()
    try pair.secure()
    pair.settle()
    pair.client.reset()
    pair.serve { pair.serverHandler.story.count == 2 }
    #expect(pair.serverHandler.story == [.secured, .failed(.reset)])
    #expect(pair.server.failure == nil, "TCP failed, not TLS")
  }

  @Test func anAlteredRecordIsAFailure() throws {
    let pair = try makePair()
    try pair.secure()
    // A record of application data that no key has sealed.
    pair.client.sendUnsealed([0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 7, count: 32))
    pair.serve { pair.serverHandler.story.count == 2 && pair.clientHandler.story.count == 2 }
    #expect(pair.serverHandler.story == [.secured, .failed(.protocolViolation)])
    #expect(pair.clientHandler.story == [.secured, .failed(.alert("bad_record_mac"))])
  }

  @Test func nothingIsReportedAfterTheClose() throws {
    let pair = try makePair()
    try pair.secure()
    pair.serverHandler.onEvent = { [server = pair.server] event in
      if case .received = event { server.close() }
    }
    pair.client.write(patternedBytes(300_000).span)
    pair.serve { pair.clientHandler.story.count > 1 }
    #expect(pair.serverHandler.story.count == 2)
    #expect(!pair.server.isOpen)
  }

  // MARK: Ownership

  @Test(arguments: Ending.allCases)
  func anEndedChannelIsForgotten(ending: Ending) throws {
    weak var server: SecureChannel?
    weak var holder: Holder?
    let loop = try {
      let pair = try makePair()
      try pair.secure()
      // As a connection does: holds the channel that holds it as its handler.
      let held = Holder(pair.server)
      pair.server.handler = held
      (server, holder) = (pair.server, held)
      switch ending {
      case .close: pair.server.close()
      case .reset: pair.server.reset()
      case .closeAfterFlush:
        pair.server.write(Array("bye".utf8).span)
        pair.server.closeAfterFlush()
      case .failure: pair.client.sendUnsealed([0x17, 0x03, 0x03, 0x00, 0x01, 0x00])
      case .peerReset: pair.client.reset()
      }
      pair.serve { !pair.server.isOpen }
      pair.client.close()
      pair.settle()
      return pair.loop
    }()
    #expect(server == nil)
    #expect(holder == nil)
    withExtendedLifetime(loop) {}
  }

  enum Ending: CaseIterable {
    case close, reset, closeAfterFlush, failure, peerReset
  }
}

extension SecureChannel {
  /// Sends bytes that no key has sealed.
  fileprivate func sendUnsealed(_ bytes: [UInt8]) {
    sealed.append(plaintext: 0, ciphertext: bytes.count)
    channel.write(bytes.span)
  }
}

/// A handler that holds its channel.
private final class Holder: SecureChannelHandler {
  private let channel: SecureChannel

  init(_ channel: SecureChannel) {
    self.channel = channel
  }

  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {}
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {}
  func channelDidReceiveEnd(at instant: MonotonicInstant) {}
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {}
  func channelDidDrain() {}
  func channelDidFail(_ error: TransportError) {}
}

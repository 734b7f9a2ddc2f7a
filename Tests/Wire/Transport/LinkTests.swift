import TapelineLoop
import TapelineTLS
import TapelineTime
import Testing

@testable import TapelineTransport

/// A plain channel and a secure one are used in the same way.
@Suite struct LinkTests {
  let pair: SecurePair

  init() throws {
    pair = try SecurePair(authority: TestAuthority())
    try pair.secure()
  }

  @Test func aSecureLinkSealsWhatGoesThroughIt() throws {
    let link = Link.secure(pair.client)
    link.withOutput { $0 += Array("one ".utf8) }
    link.write(Array("two ".utf8).span)
    link.write(Array("three".utf8))
    #expect(link.bufferedBytes == 13)
    pair.serve { pair.serverHandler.received.count == 13 }
    #expect(pair.serverHandler.received == Array("one two three".utf8))
    #expect(link.failure == nil && !link.inputIsTruncated && !link.isAboveHighWater)
    link.shutdownOutput()
    pair.serve { pair.serverHandler.events.contains(.end) }
    #expect(!pair.server.inputIsTruncated)
    link.close()
    #expect(!pair.client.isOpen)
  }

  @Test func aPlainLinkDoesNot() throws {
    let reader = ChannelReader(pair.server.channel)
    let link = Link.plain(pair.client.channel)
    pair.client.channel.handler = nil
    link.withOutput { $0 += Array("one ".utf8) }
    link.write(Array("two ".utf8).span)
    link.write(Array("three".utf8))
    pair.serve { reader.received.suffix(13) == Array("one two three".utf8)[...] }
    #expect(link.failure == nil && !link.inputIsTruncated)
    link.close()
    #expect(!pair.client.isOpen)
  }

  @Test func bothKnowTheirSocket() throws {
    for link in [Link.plain(pair.server.channel), .secure(pair.server)] {
      #expect(link.tcpStatistics() != nil && link.recentTCPStatistics(at: .now) != nil)
    }
  }

  @Test func pausingHoldsBackWhatComes() throws {
    let link = Link.secure(pair.server)
    link.pauseReading()
    pair.client.write(Array("later".utf8).span)
    pair.settle()
    #expect(pair.serverHandler.received.isEmpty)
    link.resumeReading()
    pair.serve { pair.serverHandler.received.count == 5 }
  }

  @Test func leavingAndResettingGoThrough() throws {
    let leaving = Link.secure(pair.client)
    leaving.write(Array("bye".utf8).span)
    leaving.closeAfterFlush()
    pair.serve { pair.serverHandler.events.contains(.end) }
    #expect(pair.serverHandler.received == Array("bye".utf8))
    Link.secure(pair.server).reset()
    #expect(!pair.server.isOpen)
  }
}

import CTapeline
import Glibc
import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineLoop

struct ConnectorTests {
  /// What a connector came to, with the connection closed.
  private struct Ended {
    let marks: TimelineMarks
    let peer: SocketAddress?
    let statistics: TCPStatistics?
    let error: LoopError?

    init(_ result: consuming Connector.Result, _ marks: TimelineMarks) {
      self.marks = marks
      switch consume result {
      case .connected(let descriptor, let peer, let statistics):
        #expect(fcntl(descriptor.rawValue, F_GETFL) & O_NONBLOCK != 0)
        descriptor.discard()
        self.peer = peer
        self.statistics = statistics
        error = nil
      case .failed(let error):
        peer = nil
        statistics = nil
        self.error = error
      }
    }
  }

  let loop: EventLoop
  let resolver: Resolver

  init() throws {
    loop = try EventLoop()
    resolver = try Resolver(threads: 1)
  }

  private func connect(to host: String, port: UInt16, admits: ((SocketAddress) -> Bool)? = nil) throws -> Ended {
    var ended: Ended?
    let connector = Connector(loop: loop, resolver: resolver, host: host, port: port, admits: admits)
    connector.start { result, marks in
      #expect(ended == nil, "completes once")
      ended = Ended(result, marks)
      loop.stop()
    }
    #expect(ended == nil, "never inside start")
    loop.serve()
    return try #require(ended)
  }

  private func listen(on literal: String = "127.0.0.1") throws -> Listener {
    let address = try #require(SocketAddress(literal: literal, port: 0))
    return try Listener(loop: loop, address: address) { descriptor, _, _ in descriptor.discard() }
  }

  @Test func connectsToALiteralWithoutTheResolver() throws {
    let listener = try listen()
    let ended = try connect(to: "127.0.0.1", port: listener.localAddress.port)
    #expect(ended.peer == listener.localAddress)
    #expect(ended.statistics?.openingRoundTrip != nil, "the kernel was asked before bytes were sent")
    #expect(ended.marks[.dnsStart] == nil && ended.marks[.dnsEnd] == nil)
    let start = try #require(ended.marks[.connectStart])
    #expect(try #require(ended.marks[.connectEnd]) >= start)
    listener.close()
  }

  @Test func looksANameUpFirst() throws {
    let listener = try listen()
    let ended = try connect(to: "localhost", port: listener.localAddress.port)
    #expect(ended.peer == listener.localAddress)
    let marks = [TimelineMark.dnsStart, .dnsEnd, .connectStart, .connectEnd].compactMap { ended.marks[$0] }
    #expect(marks.count == 4)
    #expect(marks == marks.sorted())
    listener.close()
  }

  @Test func aRefusalSaysWhom() throws {
    let address = try Listener.reserve(try #require(SocketAddress(literal: "127.0.0.1", port: 0)))
    let ended = try connect(to: "127.0.0.1", port: address.port)
    let error = try #require(ended.error)
    #expect(error.kind == .refused)
    #expect(error.message == "connect \(address): Connection refused")
    #expect(ended.marks[.connectStart] != nil && ended.marks[.connectEnd] == nil)
  }

  @Test("Addresses that are not admitted are not tried, by literal or by name", arguments: ["127.0.0.1", "localhost"])
  func refusesAddresses(host: String) throws {
    let listener = try listen()
    let ended = try connect(to: host, port: listener.localAddress.port) { _ in false }
    let error = try #require(ended.error)
    guard case .prohibited(let addresses) = error.kind else { return #expect(Bool(false)) }
    #expect(addresses.contains { $0.host == "127.0.0.1" })
    #expect(ended.marks[.connectStart] == nil)
    #expect((ended.marks[.dnsEnd] != nil) == (host == "localhost"))
    listener.close()
  }

  @Test("Those that are admitted are tried all the same")
  func triesWhatIsLeft() throws {
    let listener = try listen()
    let ended = try connect(to: "localhost", port: listener.localAddress.port) { $0.family == .ipv4 }
    #expect(ended.peer == listener.localAddress)
    listener.close()
  }

  @Test func anUnknownNameFailsInItsPhase() throws {
    let ended = try connect(to: "name.invalid", port: 80)
    #expect(ended.error?.kind == .nameNotFound || ended.error?.kind == .resolverFailure)
    #expect(ended.marks[.dnsStart] != nil && ended.marks[.dnsEnd] != nil && ended.marks[.connectStart] == nil)
  }

  @Test func anAddressThatCannotBeReachedAtAllFailsFromTheLoop() throws {
    // Connecting to a broadcast address fails in the call itself.
    let ended = try connect(to: "255.255.255.255", port: 80)
    #expect(ended.error != nil && ended.marks[.connectStart] != nil)
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func aCancelledConnectorIsSilentAndClosesWhatItBegan(_ host: String) throws {
    let listener = try listen()
    weak var weakConnector: Connector?
    do {
      let connector = Connector(loop: loop, resolver: resolver, host: host, port: listener.localAddress.port)
      weakConnector = connector
      connector.start { _, _ in Issue.record("a cancelled connector completed") }
      connector.cancel()
      connector.cancel()
    }
    loop.settle(turns: 20)
    resolver.shutdown()
    loop.settle()
    #expect(weakConnector == nil)
    listener.close()
  }

  @Test func aCompletedConnectorIsHeldByNobody() throws {
    let listener = try listen()
    weak var weakConnector: Connector?
    do {
      let connector = Connector(loop: loop, resolver: resolver, host: "127.0.0.1", port: listener.localAddress.port)
      weakConnector = connector
      connector.start { result, marks in
        _ = Ended(result, marks)
        loop.stop()
      }
    }
    loop.serve()
    loop.settle()
    #expect(weakConnector == nil)
    listener.close()
  }
}

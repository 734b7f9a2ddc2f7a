import Testing

@testable import TapelineTime

@Suite struct ExchangePhasesTests {
  /// Marks in microseconds after an arbitrary origin.
  private func marks(_ microseconds: [TimelineMark: Int64]) -> TimelineMarks {
    var marks = TimelineMarks()
    for (mark, value) in microseconds {
      marks.stamp(mark, at: MonotonicInstant(nanoseconds: 5_000_000_000 + value * 1_000))
    }
    return marks
  }

  private let complete: [TimelineMark: Int64] = [
    .requestFirstByte: 0, .requestHeadEnd: 10, .queued: 11, .dnsStart: 15, .dnsEnd: 115, .connectStart: 120, .connectEnd: 320,
    .tlsStart: 321, .tlsEnd: 821, .sentFirst: 830, .sentLast: 840, .responseFirstByte: 1_840, .responseHeadEnd: 1_845,
    .responseLastByte: 2_840,
  ]

  @Test func phasesAreDifferencesOfNeighbouringMarks() {
    let phases = ExchangePhases(marks(complete))
    #expect(phases.dns == 100_000)
    #expect(phases.connect == 700_000)
    #expect(phases.ssl == 500_000)
    #expect(phases.send == 10_000)
    #expect(phases.wait == 1_000_000)
    #expect(phases.receive == 1_000_000)
  }

  @Test("The time between the marks of peers is the proxy's, wherever it lies, up to the first byte to the server")
  func whatNobodyTookIsOurs() {
    let parts = ExchangePhases(marks(complete)).blockedParts
    // Before the lookup, between lookup and connect, before TLS, and from the end of TLS to the request.
    #expect(parts.proxy == 5_000 + 5_000 + 1_000 + 9_000)
    #expect(parts.connection == 0 && parts.client == 0)
    var late = complete
    for mark in [TimelineMark.sentFirst, .sentLast, .responseFirstByte, .responseHeadEnd, .responseLastByte] {
      late[mark]? += 68_000
    }
    let phases = ExchangePhases(marks(late))
    #expect(phases.blockedParts.proxy == parts.proxy + 68_000_000, "a loop that was told late of the connection")
    #expect(phases.send == 10_000 && phases.connect == 700_000 && phases.wait == 1_000_000)
  }

  @Test("A wait for a connection, a stream or a lost attempt is the connection's, and what is left the proxy's")
  func heldUp() {
    var marks = marks([
      .requestHeadEnd: 0, .queued: 2, .sentFirst: 5_010, .sentLast: 5_020, .responseFirstByte: 6_000, .responseLastByte: 7_000,
    ])
    #expect(ExchangePhases(marks).blockedParts.proxy == 5_010_000)
    let start = MonotonicInstant(nanoseconds: 5_000_002_000)
    marks.noteHeld(from: start, until: MonotonicInstant(nanoseconds: 5_005_000_000))
    let parts = ExchangePhases(marks).blockedParts
    #expect(parts.connection == 4_998_000 && parts.proxy == 12_000)
    // An exchange that failed while it waited has waited until then.
    var failed = self.marks([.requestHeadEnd: 0, .queued: 2, .failed: 9_000])
    #expect(ExchangePhases(failed).blockedParts.connection == 8_998_000)
    failed.noteHeld(from: start, until: start.advanced(byNanoseconds: 60_000_000_000))
    #expect(ExchangePhases(failed).total == 9_000_000, "and no longer than it took")
  }

  @Test("A request that was never given to the transport has taken the proxy's time alone")
  func refused() {
    let phases = ExchangePhases(marks([.requestHeadEnd: 0, .failed: 40]))
    #expect(phases.blockedParts.proxy == 40_000 && phases.total == 40_000)
  }

  @Test("The first bytes in a tunnel come when its client likes")
  func firstBytesOfATunnel() {
    let marks = marks([
      .requestHeadEnd: 0, .queued: 1, .connectStart: 2, .connectEnd: 10, .sentFirst: 900, .sentLast: 900, .responseFirstByte: 950,
    ])
    let phases = ExchangePhases(marks, isTunnel: true)
    #expect(phases.blockedParts.proxy == 2_000 && phases.send == 890_000)
  }

  @Test func theSumIsTheTimeFromHeadEndToLastByte() {
    #expect(ExchangePhases(marks(complete)).total == 2_830_000)
  }

  @Test func theTunnelThroughAnUpstreamProxyIsPartOfConnect() {
    var marked = complete
    (marked[.proxyConnectStart], marked[.proxyConnectEnd]) = (322, 350)
    (marked[.tlsStart], marked[.tlsEnd]) = (351, 821)
    let phases = ExchangePhases(marks(marked))
    #expect(phases.total == 2_830_000)
    #expect(phases.connect == 698_000)
    #expect(phases.ssl == 470_000)
    #expect(phases.blockedParts.proxy == 22_000)
  }

  @Test func aTunnelInClearThroughAnUpstreamProxyEndsConnect() {
    let phases = ExchangePhases(
      marks([.requestHeadEnd: 0, .connectStart: 1, .connectEnd: 2, .proxyConnectStart: 3, .proxyConnectEnd: 9, .sentFirst: 10]))
    #expect(phases.connect == 7_000 && phases.blockedParts.proxy == 3_000)
  }

  @Test func aTunnelThatIsRefusedEndsConnectWithTheFailure() {
    let phases = ExchangePhases(
      marks([.requestHeadEnd: 0, .connectStart: 1, .connectEnd: 2, .proxyConnectStart: 3, .failed: 9]))
    #expect(phases.connect == 7_000)
    #expect(phases.total == 9_000)
  }

  @Test func aReusedConnectionHasNoDNSAndNoConnect() {
    let phases = ExchangePhases(
      marks([.requestHeadEnd: 0, .sentFirst: 3, .sentLast: 4, .responseFirstByte: 10, .responseLastByte: 12]))
    #expect(phases.dns == nil)
    #expect(phases.connect == nil)
    #expect(phases.ssl == nil)
    #expect(phases.blocked == 3_000)
    #expect(phases.total == 12_000)
  }

  /// The upstream connection stands before the client has said what it wants of it.
  private let paidForTunnel: [TimelineMark: Int64] = [
    .requestFirstByte: 0, .tunnelHeadEnd: 10, .queued: 11, .dnsStart: 15, .dnsEnd: 115, .connectStart: 120, .connectEnd: 320,
    .clientTLSStart: 400, .tlsStart: 410, .tlsEnd: 910, .clientTLSEnd: 700, .requestHeadEnd: 1_000, .sentFirst: 1_010,
    .sentLast: 1_020, .responseFirstByte: 2_020, .responseHeadEnd: 2_030, .responseLastByte: 3_020,
  ]

  /// A browser was found to report 20.7 s for this: the first attempt once as waiting, and once as blocked.
  @Test("An exchange of 10.6 s takes 10.6 s if its first attempt was lost after 10.1 s, which are blocked")
  func anAttemptThatWasLostCountsOnce() {
    let second: Int64 = 1_000_000_000
    func instant(_ tenths: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: tenths * second / 10) }
    var first = TimelineMarks()
    first.stamp(.queued, at: instant(0))
    first.stamp(.sentFirst, at: instant(0))
    first.stamp(.sentLast, at: instant(0))
    var last = TimelineMarks()
    last.stamp(.queued, at: instant(101))
    last.noteHeld(from: instant(0), until: instant(101))
    last.stamp(.connectStart, at: instant(101))
    last.stamp(.connectEnd, at: instant(102))
    last.stamp(.sentFirst, at: instant(102))
    last.stamp(.sentLast, at: instant(102))
    last.stamp(.responseFirstByte, at: instant(105))
    last.stamp(.responseLastByte, at: instant(106))
    var marks = TimelineMarks()
    marks.stamp(.requestHeadEnd, at: instant(0))
    for attempt in [first, last] { marks.adopt(.queued ... .responseLastByte, from: attempt) }
    let phases = ExchangePhases(marks)
    #expect(phases.total == 106 * second / 10)
    #expect(phases.blockedParts.connection == 101 * second / 10 && phases.blockedParts.proxy == 0)
    #expect([phases.connect, phases.send, phases.wait, phases.receive] == [second / 10, 0, 3 * second / 10, second / 10])
  }

  @Test func theExchangeThatPaidForTheTunnelBeginsThereAndWaitsForItsRequestInBlocked() {
    let phases = ExchangePhases(marks(paidForTunnel))
    #expect(phases.blocked == 200_000)
    #expect(phases.dns == 100_000)
    #expect(phases.connect == 700_000)
    #expect(phases.ssl == 500_000)
    #expect(phases.send == 10_000)
    #expect(phases.wait == 1_000_000)
    #expect(phases.receive == 1_000_000)
    #expect(phases.total == 3_010_000)
  }

  /// The client's handshake waits for the origin's choice of a protocol.
  @Test func aClientsHandshakeAroundTheOriginsChangesNoPhase() {
    var met = paidForTunnel
    met[.clientTLSEnd] = 950
    let phases = ExchangePhases(marks(met))
    #expect(phases == ExchangePhases(marks(paidForTunnel)))
    #expect(phases.blockedParts.client == 170_000, "to its hello, and from the origin's handshake to its request")
    #expect(phases.blockedParts.proxy == 30_000)
    #expect(phases.blockedParts.connection == 0)
  }

  @Test func aRequestThatCameBeforeTheOriginWasReadyWaitsInConnect() {
    var met = paidForTunnel
    met[.requestHeadEnd] = 800
    let phases = ExchangePhases(marks(met))
    #expect(phases.blockedParts.client == 80_000 && phases.blockedParts.proxy == 120_000)
    #expect(phases.connect == 700_000)
    #expect(phases.send == 10_000)
    #expect(phases.total == 3_010_000)
  }

  @Test func aTunnelThatCarriesPlainHTTPHasNoSSL() {
    var met = paidForTunnel
    for mark in [TimelineMark.clientTLSStart, .clientTLSEnd, .tlsStart, .tlsEnd] { met[mark] = nil }
    let phases = ExchangePhases(marks(met))
    #expect(phases.ssl == nil)
    #expect(phases.connect == 200_000)
    #expect(phases.blocked == 700_000)
    #expect(phases.total == 3_010_000)
  }

  @Test func anEarlyResponseNeverMakesAPhaseNegative() {
    let phases = ExchangePhases(
      marks([.requestHeadEnd: 0, .sentFirst: 1, .responseFirstByte: 5, .responseLastByte: 8, .sentLast: 20]))
    #expect(phases.send == 19_000)
    #expect(phases.wait == 0)
    #expect(phases.receive == 0)
    #expect(phases.total == 20_000)
  }

  @Test(arguments: [
    (TimelineMark.dnsStart, [TimelineMark.requestHeadEnd: Int64(0), .dnsStart: 10]),
    (.connectStart, [.requestHeadEnd: 0, .connectStart: 10]),
    (.requestHeadEnd, [.tunnelHeadEnd: 0, .connectStart: 10, .connectEnd: 20, .tlsStart: 40, .requestHeadEnd: 90]),
    (.tlsStart, [.requestHeadEnd: 0, .connectStart: 10, .connectEnd: 20, .tlsStart: 21]),
    (.sentLast, [.requestHeadEnd: 0, .sentFirst: 10, .sentLast: 20]),
    (.responseFirstByte, [.requestHeadEnd: 0, .sentFirst: 10, .sentLast: 20, .responseFirstByte: 30, .responseLastByte: 40]),
    (.requestHeadEnd, [.requestHeadEnd: 0]),
  ])
  func failureClosesThePhaseUnderWay(reached: TimelineMark, so: [TimelineMark: Int64]) {
    var met = so
    met[.failed] = 500
    let phases = ExchangePhases(marks(met))
    #expect(phases.total == 500_000, "failed after \(reached)")
  }

  @Test func nothingMetMeansNothingMeasured() {
    let phases = ExchangePhases(TimelineMarks())
    #expect(phases.total == 0)
    #expect(phases.dns == nil)
  }

  @Test func anyOrderOfMarksKeepsPhasesNonNegativeAndTheSumExact() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var met: [TimelineMark: Int64] = [:]
      for mark in TimelineMark.allCases where Bool.random(using: &generator) {
        met[mark] = Int64.random(in: 0..<1_000, using: &generator)
      }
      let phases = ExchangePhases(marks(met))
      let parts = [phases.blocked, phases.dns ?? 0, phases.connect ?? 0, phases.send, phases.wait, phases.receive]
      #expect(parts.allSatisfy { $0 >= 0 }, "\(met)")
      #expect(parts.reduce(0, +) == phases.total)
      #expect((phases.ssl ?? 0) <= (phases.connect ?? 0))
    }
  }
}

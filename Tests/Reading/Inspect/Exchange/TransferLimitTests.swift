import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("What held up a transfer")
struct TransferLimitTests {
  /// One leg of `_tcp`: sends or receives, and its limits in milliseconds.
  private static func leg(_ direction: String, _ reason: String, _ time: Double, of total: Double) -> HARValue {
    [
      "direction": .string(direction), "limitedBy": .string(reason), "retransmits": 3,
      "limits": [reason: .number(HARNumber(time)), "other": .number(HARNumber(total - time))],
    ]
  }

  private static func entry(server: HARValue?, client: HARValue?) -> HAREntry {
    var entry = HAREntry.ordinary()
    var tcp: HARObject = [:]
    tcp["server"] = server
    tcp["client"] = client
    entry.custom["_tcp"] = .object(tcp)
    return entry
  }

  @Test("A download is slow because of the client's leg, or else because of the server's")
  func downloads() {
    let idle = Self.leg("sending", "application", 900, of: 1_000)
    let cases: [(HARValue, HARValue, String)] = [
      (
        Self.leg("receiving", "receiver", 800, of: 1_000), Self.leg("sending", "receiver", 900, of: 1_000),
        "by the client, which read slowly: 900ms of 1.00s"
      ),
      (
        Self.leg("receiving", "application", 800, of: 1_000), Self.leg("sending", "congestion", 700, of: 1_000),
        "by congestion on the way to the client, 3 segments sent again: 700ms of 1.00s"
      ),
      (
        Self.leg("receiving", "application", 800, of: 1_000), Self.leg("sending", "sender", 700, of: 1_000),
        "by tapeline's send buffer to the client: 700ms of 1.00s"
      ),
      (Self.leg("receiving", "application", 800, of: 1_000), idle, "by the server, which sent no faster: 800ms of 1.00s"),
      (
        Self.leg("receiving", "congestion", 800, of: 1_000), idle,
        "by congestion on the way from the server, whose segments came out of order: 800ms of 1.00s"
      ),
      (
        Self.leg("receiving", "receiver", 800, of: 1_000), idle,
        "by tapeline, which did not read for the client's sake: 800ms of 1.00s"
      ),
    ]
    for (server, client, text) in cases { #expect(TransferLimit(Self.entry(server: server, client: client))?.text == text) }
  }

  @Test("An upload is slow because of the server's leg, or else because of the client's")
  func uploads() {
    let client = Self.leg("receiving", "application", 500, of: 1_000)
    func text(_ server: HARValue) -> String? { TransferLimit(Self.entry(server: server, client: client))?.text }
    #expect(text(Self.leg("sending", "receiver", 900, of: 1_000)) == "by the server, which read slowly: 900ms of 1.00s")
    #expect(text(Self.leg("sending", "application", 900, of: 1_000)) == "by the client, which sent no faster: 500ms of 1.00s")
  }

  @Test("What was fast, or what no kernel measured, has no limit")
  func nothing() {
    #expect(TransferLimit(.ordinary()) == nil)
    #expect(TransferLimit(Self.entry(server: ["rtt": 1], client: nil)) == nil)
    #expect(TransferLimit(Self.entry(server: Self.leg("receiving", "application", 50, of: 99), client: nil)) == nil)
    #expect(
      TransferLimit(Self.entry(server: Self.leg("receiving", "application", 50, of: 100), client: nil))?.text
        == "by the server, which sent no faster: 50.0ms of 100ms")
  }

  @Test("show and waterfall say it")
  func said() {
    let entry = Self.entry(server: nil, client: Self.leg("sending", "receiver", 900, of: 1_000))
    let palette = Palette(isColored: false)
    let shown = ExchangeSummary(number: 1, entry: entry, width: 80, palette: palette, clock: .utc).lines
    #expect(shown.contains("limited   by the client, which read slowly: 900ms of 1.00s"))
    var waterfall = Waterfall(grouping: .none)
    waterfall.add(entry, number: 1)
    let lines = WaterfallText(waterfall, width: 100, palette: palette).lines
    #expect(lines.contains { $0.hasSuffix(" limited by the client, which read slowly: 900ms of 1.00s") })
    #expect(waterfall.parts.contains(.custom))
  }
}

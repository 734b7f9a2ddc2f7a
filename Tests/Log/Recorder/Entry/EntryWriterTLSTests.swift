import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineRecorder

struct EntryWriterTLSTests {
  private func details() -> TLSDetails {
    var details = TLSDetails()
    details.version = "TLSv1.3"
    details.cipher = "TLS_AES_128_GCM_SHA256"
    details.applicationProtocol = "http/1.1"
    details.serverName = "example.com"
    details.isResumed = false
    details.certificate = TLSDetails.Certificate(
      subject: "CN=example.com", issuer: "CN=Test", names: ["example.com", "192.0.2.1"], notBefore: 1_772_600_767,
      notAfter: 1_780_376_767, fingerprint: "ab12", serialNumber: "01")
    return details
  }

  @Test func bothConnections() throws {
    var record = try ExampleExchange.make()
    record.serverTLS = details()
    var client = TLSDetails()
    client.version = "TLSv1.2"
    record.clientTLS = client
    let (entry, _) = try entry(of: record)
    #expect(
      entry.custom["_tls"] == [
        "version": "TLSv1.3", "cipher": "TLS_AES_128_GCM_SHA256", "alpn": "http/1.1", "sni": "example.com", "resumed": false,
        "certificate": [
          "subject": "CN=example.com", "issuer": "CN=Test", "names": ["example.com", "192.0.2.1"],
          "notBefore": "2026-03-04T05:06:07Z", "notAfter": "2026-06-02T05:06:07Z", "fingerprint": "ab12", "serialNumber": "01",
        ],
      ])
    #expect(entry.custom["_clientTLS"] == ["version": "TLSv1.2"])
  }

  @Test("Each connection has its own text, whatever was rendered before it, and a changed value another one")
  func rendering() {
    var writer = EntryWriter(anchor: ExampleExchange.anchor, redactor: nil, includesDebug: false)
    for round in 0..<2 {
      for number in 0...RenderedTLS.limit {
        var details = details()
        details.serverName = "\(round)-\(number).example"
        let first = writer.text(of: details)
        #expect(writer.text(of: details) == first)
        var copy = details
        copy.serverName = nil
        #expect(writer.text(of: copy) != first)
        #expect(String(decoding: first, as: UTF8.self).contains("\"\(round)-\(number).example\""))
      }
    }
  }

  @Test("Protocols that the server was not offered are a change, and nothing else is")
  func changedProtocols() throws {
    func change(offered: [String], passed: [String]) throws -> HARValue? {
      var record = try ExampleExchange.make()
      record.requestForwarding = RequestForwarding(framing: .none)
      var client = TLSDetails()
      client.offeredProtocols = offered
      client.passedProtocols = passed
      record.clientTLS = client
      return try entry(of: record).0.custom["_changes"]?.array?.first { $0["name"]?.string == ":alpn" }
    }
    #expect(try change(offered: ["h2", "http/1.1"], passed: ["h2", "http/1.1"]) == nil)
    #expect(try change(offered: [], passed: []) == nil)
    #expect(
      try change(offered: ["h2", "http/1.1"], passed: ["http/1.1"])
        == ["leg": "request", "change": "rewritten", "name": ":alpn", "from": "h2, http/1.1", "to": "http/1.1"])
  }

  @Test func whatATunnelShows() throws {
    var record = try ExampleExchange.tunnel()
    var shown = TLSDetails()
    shown.serverName = "example.com"
    shown.offeredVersions = ["TLSv1.3", "TLSv1.2"]
    shown.offeredProtocols = ["h2", "http/1.1"]
    shown.helloNanoseconds = 12_345_600
    shown.isUnverified = true
    shown.alert = TLSDetails.Alert(name: "unknown_ca", origin: "client")
    record.serverTLS = shown
    record.comment = "passed through: the client refused our certificate, token=x"
    let (entry, _) = try entry(of: record)
    let helloTime = HARValue.number(try #require(HARNumber(text: "12.346")))
    #expect(
      entry.custom["_tls"] == [
        "sni": "example.com", "unverified": true, "offeredVersions": ["TLSv1.3", "TLSv1.2"], "offeredALPN": ["h2", "http/1.1"],
        "helloTime": helloTime, "alert": ["name": "unknown_ca", "origin": "client"],
      ])
    #expect(entry.comment == record.comment)
  }

  @Test func anInterceptedRequestHasItsOwnURL() throws {
    var record = try ExampleExchange.make(url: "/a?b=c", fields: [("Host", "example.com")])
    record.implied = ImpliedOrigin(scheme: .https, authority: "example.com")
    #expect(try entry(of: record).0.request.url == "https://example.com/a?b=c")
    for target in ["/x", "http://claimed.example/x"] {
      record.request = try RequestHead(method: .get, target: target, fields: ["Host": "claimed.example"])
      #expect(try entry(of: record).0.request.url == "https://example.com/x", "where it went, not what it says")
    }
    record.request = try RequestHead(method: .options, target: "http://claimed.example", fields: ["Host": "claimed.example"])
    #expect(try entry(of: record).0.request.url == "https://example.com/")
    record.request = try RequestHead(method: .get, target: "/x", version: .http10)
    record.implied = ImpliedOrigin(scheme: .https, authority: "example.com:8443")
    #expect(try entry(of: record).0.request.url == "https://example.com:8443/x")
  }

  @Test func whatInterceptionCosts() throws {
    var marks = ExampleExchange.marks([
      (.requestFirstByte, 0), (.tunnelHeadEnd, 10), (.dnsStart, 20), (.dnsEnd, 30), (.connectStart, 30), (.connectEnd, 50),
      (.clientTLSStart, 60), (.clientTLSEnd, 360), (.requestHeadEnd, 400), (.sentFirst, 450), (.sentLast, 450),
    ])
    marks.stamp(.responseFirstByte, at: ExampleExchange.anchor.instant.advanced(byNanoseconds: 500_000))
    var record = try ExampleExchange.make(marks: marks)
    record.mintingNanoseconds = 250_000
    let overhead = try #require(try entry(of: record).0.custom["_overhead"])
    #expect(overhead["request"]?.double == 0.06, "before the connection, and before the request")
    #expect(overhead["clientTLS"]?.double == 0.3)
    #expect(overhead["minting"]?.double == 0.25)
    #expect(overhead["response"] == nil)
  }

  @Test func theEndOfTheCaptureIsNoFaultOfTheExchange() throws {
    var record = try ExampleExchange.refused()
    record.failure = .shutdown
    #expect(try entry(of: record).0.custom["_incomplete"] == true)
    #expect(try entry(of: ExampleExchange.refused()).0.custom["_incomplete"] == nil)
  }

  @Test func whatFollowedAnUpgrade() throws {
    var record = try ExampleExchange.make(responseBody: ExampleExchange.body(""))
    var relayed = RelayedBytes()
    relayed.toServer = 5
    relayed.toClient = 6
    record.relayed = relayed
    #expect(try entry(of: record).0.custom["_upgrade"] == ["toServer": 5, "toClient": 6])
  }
}

import TapelineCore
import TapelineHAR
import TapelineRedaction
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineRecorder

/// An entry as a reader sees it, checked to be JSON; `text` is what was written.
func entry(of record: ExchangeRecord, redacts: Bool = false, includesDebug: Bool = false) throws -> (HAREntry, text: String) {
  var writer = JSONWriter()
  var entryWriter = EntryWriter(
    anchor: ExampleExchange.anchor, redactor: redacts ? Redactor(.standard, key: RedactionKey(1, 2)) : nil,
    includesDebug: includesDebug)
  let total = entryWriter.append(record, page: .first, to: &writer)
  let entry = try HAREntry(json: writer.bytes)
  let apart = ["client", "proxy"].map { entry.custom["_blocked"]?[$0]?.double ?? 0 }
  #expect(apart.reduce(Int64((entry.time * 1_000).rounded())) { $0 - Int64(($1 * 1_000).rounded()) } == total)
  return (entry, String(decoding: writer.bytes, as: UTF8.self))
}

struct EntryWriterTests {
  @Test func anOrdinaryExchangeIsExactlyThis() throws {
    let golden = #"""
      {"pageref":"page_1","startedDateTime":"2026-03-04T05:06:07.123456Z","time":4.040,"request":{"method":"GET",
      "url":"http://example.com/index.html","queryString":[],"httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Host",
      "value":"example.com"},{"name":"Accept","value":"*/*"}],"headersSize":78,"bodySize":0},"response":{"status":200,
      "statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":"text/plain"},
      {"name":"Content-Length","value":"5"}],"content":{"size":5,"compression":0,"mimeType":"text/plain","text":"hello"},
      "redirectURL":"","headersSize":64,"bodySize":5},"cache":{},"timings":{"blocked":0.030,"dns":0.500,"connect":0.500,
      "send":0.010,"wait":2.000,"receive":1.000,"ssl":-1},"_blocked":{"client":0.000,"proxy":0.030,"connection":0.000},
      "serverIPAddress":"192.0.2.1","connection":"80","_serverPort":80,
      "_connectionId":"4","_clientAddress":"127.0.0.1","_clientPort":50000,"_clientConnectionId":"3","_exchangeId":7,
      "_timeline":{"requestStartTime":794293567.123000,"initialResponseTime":794293567.126000,
      "requestCompletedTime":794293567.127000,"serializationCompletedTime":794293567.127000,"latency":0.003000,
      "requestDuration":0.004000,"serializationDuration":0.000000,"totalDuration":0.004000,"description":"Timeline: {
       \"Request Start Time\": 794293567.123, \"Initial Response Time\": 794293567.126, \"Request Completed Time\":
       794293567.127, \"Serialization Completed Time\": 794293567.127, \"Latency\": 0.003 secs, \"Request Duration\":
       0.004 secs, \"Serialization Duration\": 0.000 secs, \"Total Duration\": 0.004 secs }"},"_events":{"accepted":-50,
      "requestFirstByte":0,"requestHeadEnd":10,"requestLastByte":10,"queued":15,"dnsStart":20,"dnsEnd":520,
      "connectStart":530,"connectEnd":1030,"sentFirst":1040,"sentLast":1050,"responseFirstByte":3050,
      "responseHeadEnd":3051,"responseLastByte":4050,"deliveredFirst":3070,"deliveredLast":4090},"_clock":"loop","_overhead":{
      "request":0.030,"response":0.020},"_tcp":{"server":{"rtt":0.512,"rttvar":0.090,"minRtt":0.480,"retransmits":0,
      "cwnd":10,"deliveryRate":1250000}}}
      """#
    let (_, text) = try entry(of: ExampleExchange.make())
    #expect(text == golden.split(separator: "\n").joined())
  }

  @Test func aFailureHasWholeSkeletons() throws {
    let (entry, text) = try entry(of: ExampleExchange.refused())
    #expect(entry.response.status == 0)
    #expect(entry.response.content == HARContent(size: 0, mimeType: "x-unknown"))
    #expect(entry.response.bodySize == -1)
    #expect(entry.time == 0.310)
    #expect(entry.timings.connect == 0.3)
    #expect(entry.timings.dns == -1)
    #expect(entry.serverIPAddress == nil)
    #expect(entry.custom["_localStatus"] == 502)
    #expect(
      entry.custom["_error"] == [
        "origin": "upstream", "phase": "connect", "kind": "refused", "message": "192.0.2.1:80 refused the connection",
      ])
    #expect(!text.contains("null"))
  }

  @Test func aTunnelIsAConnectToARoot() throws {
    let (entry, _) = try entry(of: ExampleExchange.tunnel())
    #expect(entry.request.method == "CONNECT")
    #expect(entry.request.url == "https://example.com:443/")
    #expect(entry.response.status == 200)
    #expect(entry.request.bodySize == 1_234)
    #expect(entry.response.bodySize == 56_789)
    #expect(entry.custom["_tunnel"] == ["toServer": 1_234, "toClient": 56_789])
  }

  @Test("A tunnel that was not read says why", arguments: UnreadReason.allCases)
  func unread(reason: UnreadReason) throws {
    var record = try ExampleExchange.tunnel()
    record.unread = reason
    let (entry, _) = try entry(of: record)
    #expect(entry.custom["_tunnel"] == ["toServer": 1_234, "toClient": 56_789, "unread": .string(reason.rawValue)])
  }

  @Test func aTunnelThatNeverOpenedHasNoStatus() throws {
    var record = try ExampleExchange.tunnel()
    record.localStatus = 502
    let (entry, _) = try entry(of: record)
    #expect(entry.response.status == 0)
    #expect(entry.response.bodySize == -1)
  }

  @Test func bytesThatWereNoRequestAreAnEntryToo() throws {
    var record = try ExampleExchange.make(marks: ExampleExchange.marks([(.accepted, -5), (.requestFirstByte, 0), (.failed, 30)]))
    record.request = nil
    record.response = nil
    record.server = nil
    record.localStatus = 400
    let (entry, _) = try entry(of: record)
    #expect(entry.request.method == "INVALID")
    #expect(entry.request.url == "http://invalid.invalid/")
    #expect(entry.custom["_localStatus"] == 400)
  }

  @Test func theDebugDescriptionIsThereIfWanted() throws {
    let record = try ExampleExchange.make()
    #expect(try entry(of: record).0.custom["_debug"] == nil)
    #expect(try entry(of: record, includesDebug: true).0.custom["_debug"]?.string == record.responseDebugDescription)
  }

  /// Whatever became of an exchange, the two say the same of it.
  @Test(arguments: ["success", "refused", "ended", "tunnel", "tunnel that never opened", "ended tunnel"])
  func theDebugDescriptionAndTheEntryAgree(kind: String) throws {
    var record = kind.contains("tunnel") ? try ExampleExchange.tunnel() : try ExampleExchange.make()
    var result = "SUCCESS: 5 bytes"
    switch kind {
    case "refused":
      record = try ExampleExchange.refused()
      result = "FAILURE: upstream refused in connect: 192.0.2.1:80 refused the connection"
    case "ended":
      record.endedByClient = .receive
      result = "ENDED: by the client in receive, 5 bytes"
    case "tunnel": result = "SUCCESS: 56789 bytes"
    case "tunnel that never opened":
      record.localStatus = 502
      record.failure = ExchangeRecord.Failure(
        origin: .upstream, phase: .dns, kind: .transport(.nameNotFound), message: "no such host")
      result = "FAILURE: upstream name-not-found in dns: no such host"
    case "ended tunnel":
      record.endedByClient = .receive
      result = "ENDED: by the client in receive, 56789 bytes"
    default: break
    }
    let entry = try entry(of: record, includesDebug: true).0
    let lines = try #require(entry.custom["_debug"]?.string).split(separator: "\n").map(String.init)
    #expect(lines.count == 5)
    let status = entry.response.status
    #expect(status == 0 ? lines[1] == "[Response]: nil" : lines[1].contains(", Status Code: \(status), "), "\(lines[1])")
    #expect(lines[2] == "[Data]: \(max(0, entry.response.bodySize)) bytes")
    #expect(lines[3] == "[Result]: \(result)")
    #expect(entry.custom["_timeline"]?["description"]?.string.map { lines[4] == "[Timeline]: \($0)" } == true)
  }

  @Test func everyCombinationOfMarksSumsUpExactly() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      var marks = TimelineMarks()
      var instant: Int64 = 1_000_000_000
      for mark in TimelineMark.allCases where Bool.random(using: &random) {
        instant += Int64.random(in: -500...5_000_000, using: &random)
        marks.stamp(mark, at: MonotonicInstant(nanoseconds: instant))
      }
      let (entry, text) = try entry(of: ExampleExchange.make(marks: marks))
      let timings = entry.timings
      let phases = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive].map { $0 ?? -1 }
      #expect(phases.allSatisfy { $0 == -1 || $0 >= 0 })
      let sum = phases.reduce(0) { $0 + Int64((max(0, $1) * 1_000).rounded()) }
      #expect(sum == Int64((entry.time * 1_000).rounded()), "\(text)")
      #expect((timings.ssl ?? -1) <= (timings.connect ?? -1))
      #expect(timings.send >= 0 && timings.wait >= 0 && timings.receive >= 0)
    }
  }
}

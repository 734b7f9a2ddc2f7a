import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Rows of a report")
struct ReportRowTests {
  private static func row(_ entry: HAREntry) throws -> [HARValue] {
    var text = JSONWriter()
    ReportRow.append(entry, number: 7, to: &text)
    return try #require(try HARValue(json: text.bytes.span).array)
  }

  @Test("An ordinary exchange, in the order that the page reads")
  func ordinary() throws {
    let row = try Self.row(.ordinary())
    #expect(row[0] == 7)
    #expect(row[1].integer == 1_767_323_045_678_901)
    #expect(row[2...7] == ["page_1", "GET", "http://example.com/a?b=1", "HTTP/1.1", 200, "text/plain"])
    #expect(row[8...10] == [0, 5, 5])
    #expect(row[11...20].map(\.double) == [123.456, -1, -1, 1, 2, 30.456, -1, 0.5, 80, 9.5])
    #expect(row[21...29] == ["192.0.2.1", "80", 0, [], 0, 8, 0, 0, 0])
    #expect(row.count == 30)
  }

  @Test("A failure says what is known of it")
  func failure() throws {
    let row = try Self.row(.refused())
    #expect(row[23] == ["Connection refused", "upstream", "refused", "connect", 0])
  }

  @Test(
    "The parts of client and proxy stand before what is left of blocked; what the client ended says when; a limit of ours its option"
  )
  func ours() throws {
    #expect(try Self.row(.afterSlowClient())[11...14].map(\.double) == [123.456, 100, 1, 0.5])
    #expect(try Self.row(.ended(in: "receive"))[23...25] == [0, [], "receive"])
    var entry = HAREntry.refused()
    entry.custom["_error"] = [
      "origin": "local", "phase": "connect", "kind": "timed-out", "message": "no answer", "option": "--connect-timeout",
    ]
    #expect(try Self.row(entry)[23] == ["no answer", "local", "timed-out", "connect", "--connect-timeout"])
  }

  @Test("What is in flight has one element more")
  func inFlight() throws {
    #expect(try Self.row(.inFlight()).dropFirst(30) == [1])
    #expect(try Self.row(.ordinary()).count == 30)
  }

  @Test("What the log lacks is 0 or null, never missing")
  func lacking() throws {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "never"
    entry.pageref = nil
    entry.serverIPAddress = nil
    entry.connection = nil
    entry.timings.ssl = nil
    let row = try Self.row(entry)
    #expect(row[1] == .null && row[2] == 0 && row[21] == 0 && row[22] == 0)
    #expect(row[17].double == -1)
    #expect(row.count == 30)
  }

  @Test(
    "Our connection's number comes before HAR's member, which for us is the port; Chrome's size stands in for what it leaves out")
  func others() throws {
    var entry = HAREntry.ordinary()
    entry.custom["_connectionId"] = "12"
    entry.response.bodySize = -1
    entry.response.custom["_transferSize"] = 310
    let row = try Self.row(entry)
    #expect(row[22] == "12" && row[9] == 310)
  }

  @Test("Of many pieces, evenly chosen ones are marked")
  func chunks() throws {
    var entry = HAREntry.ordinary()
    entry.custom["_chunks"] = .array((0..<1_000).map { ["ts": .number(HARNumber($0 * 10)), "bytes": 1] } + [.null, "x"])
    let marks = try #require(try Self.row(entry)[24].array)
    #expect(marks.count <= 48 && marks.count > 24)
    #expect(marks.first?.integer == 0 && marks[1].integer == 210)
  }

  /// Whatever a row tells of, in our logs and in those of browsers.
  private static let diverse: [HAREntry] = {
    var entries: [HAREntry] = [
      .ordinary(), .refused(), .afterSlowClient(), .ended(in: "receive"), .inFlight(), .tunnel(),
    ]
    func add(_ change: (inout HAREntry) -> Void) {
      var entry = HAREntry.ordinary()
      change(&entry)
      entries.append(entry)
    }
    add { $0.custom["_connectionId"] = "12" }
    add { $0.custom["_chunks"] = [["ts": 10, "bytes": 1], ["ts": 20, "bytes": 2]] }
    add { $0.custom["_resourceType"] = "stylesheet" }
    add { $0.request.postData = HARPostData(mimeType: "application/json", text: #"{"query":"query Me { me }"}"#) }
    add { $0.request.headers.append(HARHeader(name: "X-Amz-Target", value: "Db.Get")) }
    add { entry in
      entry.request.method = "POST"
      entry.request.url = "http://api.test/api/chat"
      entry.request.postData = HARPostData(mimeType: "application/json", text: #"{"model":"tiny","messages":[]}"#)
      entry.response.content.text = #"{"message":{"content":"hi"},"done_reason":"stop","eval_count":3}"#
    }
    add { entry in
      entry.request.postData = HARPostData(mimeType: "application/json", text: #"{"query":"{ me }"}"#)
      entry.response.content.text = #"{"errors":[{"message":"no such user"}]}"#
    }
    entries.append(StreamTimingTests.entry([(10, "a"), (20, "b"), (1_500, "c")]))
    add { $0.request.headers.append(HARHeader(name: "Sec-Fetch-Dest", value: "image")) }
    add { $0.response.status = 101 }
    add { entry in
      entry.response.bodySize = -1
      entry.response.custom["_transferSize"] = 310
    }
    add { entry in
      entry.response.status = 0
      entry.response.custom["_error"] = "net::ERR_ABORTED"
    }
    add { entry in
      entry.request.method = "CONNECT"
      entry.request.custom["_pseudo"] = [["name": ":protocol", "value": "websocket"]]
    }
    return entries
  }()

  @Test("The live page's row of an entry is the report's, though it reads little of the entry")
  func liveRow() throws {
    for entry in Self.diverse {
      var live = JSONWriter()
      var report = JSONWriter()
      try LiveReport.append(rowOf: entry.json.span, number: 7, to: &live)
      ReportRow.append(try HAREntry(json: entry.json), number: 7, to: &report)
      #expect(String(decoding: live.bytes, as: UTF8.self) == String(decoding: report.bytes, as: UTF8.self))
    }
  }
}

import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Writing a report")
struct ReportWriterTests {
  /// The blocks of data of a report by their names.
  private struct Written {
    let text: String
    let summary: ReportSummary
    let plan: ReportPlan

    func block(_ id: String) throws -> HARValue? {
      let parts = text.split(separator: "id=\"\(id)\">", omittingEmptySubsequences: false)
      guard parts.count == 2, let json = parts[1].split(separator: "</script>", omittingEmptySubsequences: false).first else {
        return nil
      }
      return try HARValue(json: Array(json.utf8).span)
    }
  }

  private static func report(
    _ entries: [HAREntry], bodies: ReportOptions.Bodies = .all, sizeLimit: Int = 64 << 20,
    log: HARLog = HARLog(creator: HARCreator(name: "tests", version: "1"))
  ) -> Written {
    let options = ReportOptions(bodies: bodies, sizeLimit: sizeLimit, title: "a.har", version: "9.9")
    var survey = ReportSurvey(options)
    for (index, entry) in entries.enumerated() { survey.add(entry, number: index + 1) }
    let plan = survey.plan
    var text: [UInt8] = []
    var writer = ReportWriter<Never>(plan, log: log) { piece in
      for index in piece.indices { text.append(piece[index]) }
    }
    for (index, entry) in entries.enumerated() { writer.write(entry, number: index + 1) }
    let summary = writer.finish()
    return Written(text: String(decoding: text, as: UTF8.self), summary: summary, plan: plan)
  }

  @Test("What bodies say of an exchange is judged before they are left out or cut")
  func meaning() throws {
    func asking(_ request: String, _ response: String) -> HAREntry {
      var entry = HAREntry.ordinary()
      entry.request.postData = HARPostData(mimeType: "application/json", text: request)
      entry.response.content = HARContent(size: response.utf8.count, mimeType: "application/json", text: response)
      return entry
    }
    let query = asking(#"{"query":"query Me { me }"}"#, #"{"errors":[{"message":"no such user"}]}"#)
    let call = asking(
      #"{"jsonrpc":"2.0","method":"find","id":1}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method"}}"#)
    var model = ModelExchange()
    model.pieces = (1...4_000).map { (Double($0), model.event(#"{"choices":[{"index":0,"delta":{"content":"word"}}]}"#)) }
    model.pieces.append((5_000, model.event(#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4000}}"#)))
    for (bodies, sizeLimit) in [(.all, 64 << 20), (.none, 64 << 20), (.all, ReportPage.size + 250_000)]
      as [(ReportOptions.Bodies, Int)]
    {
      let report = Self.report([query, call, model.entry], bodies: bodies, sizeLimit: sizeLimit)
      #expect((report.summary.cutBodies > 0) == (bodies == .none || sizeLimit < 64 << 20))
      let rows = try #require(try report.block("rows-1")?.array).compactMap(\.array)
      #expect(rows[0][23] == ["no such user", "upstream", "operation", 0, 0, "GraphQL error", .null])
      #expect(rows[1][23] == ["no method", "upstream", "operation", 0, 0, "JSON-RPC error -32601", .null])
      #expect(rows.map { $0[27] } == ["query Me", "find", 0])
      #expect(rows[2][28]["out"] == 4_000 && rows[2][28]["first"]?.double == 1)
      #expect(rows[2][29].array?.compactMap(\.double).prefix(5) == [4_001, 1, 1, 1, 1_000])
    }
  }

  @Test("An exchange comes back whole: its entry, and its bodies apart")
  func whole() throws {
    var entry = HAREntry.ordinary()
    entry.request.postData = HARPostData(mimeType: "text/plain", text: "to <send>")
    let report = Self.report([entry])
    #expect(report.summary == ReportSummary(exchanges: 1, leftOut: 0, cutBodies: 0, bytes: report.text.utf8.count))
    #expect(try report.block("response-1") == ["leftOut": 0, "text": "hello"])
    #expect(try report.block("request-1") == ["leftOut": 0, "text": "to <send>"])
    #expect(try report.block("rows-1")?.array?.count == 1)
    #expect(try report.block("rows-2") == nil)
    var bare = entry
    bare.request.postData?.text = nil
    bare.response.content.text = nil
    let written = try #require(try report.block("entry-1"))
    #expect(try written == HARValue(json: bare.json.span))
  }

  @Test("A report is the same, byte for byte, whether the reader leaves out what the report has no room for, or reads it")
  func readingLimits() throws {
    let entries = (1...40).map { number in
      var entry = HAREntry.ordinary()
      entry.response.content.mimeType = number % 5 == 0 ? "text/event-stream" : "text/html"
      let isBase64 = number % 3 == 0
      let text = isBase64 ? String(repeating: "QUJD", count: 900 * number) : String(repeating: "data: é\n\n", count: 400 * number)
      entry.response.content.text = text
      entry.response.content.encoding = isBase64 ? "base64" : nil
      entry.request.postData = HARPostData(mimeType: "text/plain", text: String(repeating: "€", count: number * 100))
      if number % 7 == 0 {
        (entry.request.method, entry.request.url) = ("POST", "http://a.test/v1/chat/completions")
        let prompt = String(repeating: "€", count: number * 100)
        entry.request.postData?.text = #"{"model":"tiny","messages":[{"role":"user","content":"\#(prompt)"}]}"#
        entry.response.content.text = #"{"choices":[{"message":{"content":"\#(prompt)"}}],"usage":{"completion_tokens":7}}"#
        entry.response.content.encoding = nil
      }
      return entry
    }
    for sizeLimit in [ReportPage.size + 100_000, ReportPage.size + 600_000, 64 << 20] {
      let options = ReportOptions(bodies: .all, sizeLimit: sizeLimit, title: "a.har", version: "9.9")
      var survey = ReportSurvey(options)
      for (index, entry) in entries.enumerated() { survey.add(try entry.read(limit: survey.bodyLimit), number: index + 1) }
      let plan = survey.plan
      var text: [UInt8] = []
      var report = ReportWriter<Never>(plan, log: HARLog(creator: HARCreator(name: "tests", version: "1"))) { piece in
        for index in piece.indices { text.append(piece[index]) }
      }
      for (index, entry) in entries.enumerated() { report.write(try entry.read(limit: plan.readingLimit), number: index + 1) }
      _ = report.finish()
      #expect(Self.report(entries, sizeLimit: sizeLimit).text == String(decoding: text, as: UTF8.self))
    }
  }

  @Test("The page learns the critical path, and what each exchange waited for")
  func critical() throws {
    var first = HAREntry.ordinary()
    first.response.status = 302
    first.response.redirectURL = "/second"
    var second = HAREntry.ordinary()
    second.request.url = "http://example.com/second"
    first.request.url = "http://example.com/first"
    second.startedDateTime = "2026-01-02T03:04:05.803Z"
    let report = Self.report([first, second])
    let block = try #require(try report.block("critical"))
    let page = try #require(block["pages"]?.array?.first)
    #expect(page["paths"] == [[1, 2]] && page["costliest"] != nil && block["limit"] == nil)
    let rows = try #require(try report.block("critical-rows")?.array)
    #expect(rows.count == 2)
    let cause = try #require(rows[1].array?.last?.array?.first?.array)
    #expect(cause == [1, 0, 98, 1])
    #expect(block["reasons"]?.array?.first == "redirect by")
  }

  @Test("Once the report is full, what follows is ranked, and its fields need not be read")
  func full() {
    let options = ReportOptions(bodies: .all, sizeLimit: ReportPage.size + 5_000, title: "a.har", version: "9.9")
    let bare = HAREntry(
      startedDateTime: "", time: 0, request: HAREntry.ordinary().request, response: HAREntry.ordinary().response,
      timings: HAREntry.ordinary().timings)
    var survey = ReportSurvey(options)
    for number in 1...99 { survey.add(survey.isSettled ? bare : .ordinary(), number: number) }
    survey.add(bare, number: 100)
    let isSettled = survey.isSettled
    let plan = survey.plan
    #expect(isSettled && plan.exchangeCount == 100 && plan.bodyLimit == 0)
    // No survey knows how long the header will be.
    let log = HARLog(creator: HARCreator(name: "tests", version: "1"), comment: String(repeating: "x", count: 1_000))
    var writer = ReportWriter<Never>(plan, log: log) { _ in }
    for number in 1...99 { writer.write(writer.isFull ? bare : .ordinary(), number: number) }
    writer.leaveOut()
    let isFull = writer.isFull
    #expect(isFull)
    let summary = writer.finish()
    #expect(summary.exchanges > 0 && summary.leftOut > 0 && summary.exchanges + summary.leftOut == 100)
  }

  @Test("The page learns what the log says as a whole")
  func header() throws {
    var log = HARLog(
      creator: HARCreator(name: "tests", version: "1"), browser: HARCreator(name: "B", version: ""),
      pages: [
        HARPage(
          startedDateTime: "2026-01-02T03:04:05.000001Z", id: "p", title: "P",
          pageTimings: HARPageTimings(onContentLoad: 12.5, onLoad: -1))
      ], comment: "c")
    log.custom["_dropped"] = ["bodies": 3]
    let header = try #require(try Self.report([], log: log).block("capture"))
    #expect(
      header["title"] == "a.har" && header["version"] == "9.9" && header["creator"] == "tests 1" && header["browser"] == "B")
    #expect(header["comment"] == "c" && header["dropped"] == ["bodies": 3] && header["bodyLimit"] == nil)
    let page = try #require(header["pages"]?.array?.first)
    #expect(page["id"] == "p" && page["start"]?.integer == 1_767_323_045_000_001 && page["onLoad"] == nil)
    #expect(page["onContentLoad"]?.double == 12.5)
  }

  @Test("The events of a stream stand apart, with their times, as far as the stream is in the report")
  func events() throws {
    var entry = HAREntry.ordinary()
    let text = "id: 1\nevent: a\ndata: <x>\n\ndata: y\n\ndata: "
    entry.response.content = HARContent(size: text.utf8.count, mimeType: "text/event-stream", text: text)
    entry.response.bodySize = text.utf8.count
    entry.custom["_chunks"] = [["ts": 1500, "bytes": 30]]
    let events = try #require(try Self.report([entry]).block("events-1")?.array)
    #expect(events.map { $0.array?.first?.double } == [1.5, nil])
    #expect(events.map { $0.array.map { Array($0.dropFirst()) } } == [["1", "a", "<x>"], ["1", "message", "y"]])
    #expect(try Self.report([entry], bodies: .none).block("events-1") == nil)
    #expect(try Self.report([.ordinary()]).block("events-1") == nil)
    let body = ReportEntry(entry, number: 1, bodies: .all, bodyLimit: 30)
    #expect(body.events.map(\.text) == ["<x>"])
  }

  @Test("Without bodies there are none, nor what counts as such")
  func none() throws {
    var entry = HAREntry.ordinary()
    entry.request.postData = HARPostData(
      mimeType: "x", params: [HARPostParameter(name: "a", value: "hush-hush")], text: "hush-hush")
    entry.custom["_webSocketMessages"] = [["data": "hush-hush"]]
    entry.response.content.text = "hush-hush"
    let report = Self.report([entry], bodies: .none)
    #expect(!report.text.contains("hush-hush"))
    #expect(report.summary.cutBodies == 2)
    #expect(try report.block("outcome")?["cutBodies"] == 2)
  }

  @Test("Large bodies are cut first, and the report keeps to its size")
  func cutting() throws {
    let entries = [300, 900_000, 2_000_000, 500].map { size in
      var entry = HAREntry.ordinary()
      entry.response.content.text = String(repeating: "\"", count: size)
      return entry
    }
    let report = Self.report(entries, sizeLimit: 1 << 20)
    #expect(report.summary.bytes <= 1 << 20 && report.summary.bytes > 3 << 18)
    #expect(report.summary.cutBodies == 2 && report.summary.leftOut == 0)
    #expect(try report.block("response-1")?["leftOut"] == 0)
    let kept = try #require(try report.block("response-3")?["text"]?.string)
    #expect(try report.block("response-3")?["leftOut"]?.integer == 2_000_000 - kept.utf8.count)
    #expect(try report.block("capture")?["bodyLimit"]?.integer == kept.utf8.count)
  }

  @Test("When that is not enough, the slowest and the failed exchanges stay, wherever they are, and the page says so")
  func slowest() throws {
    let entries = (1...3_000).map { number in
      var entry = HAREntry.ordinary()
      entry.comment = String(repeating: "x", count: 1_000)
      entry.time = Double(number * 7_919 % 3_000)
      if number % 500 == 0 { entry.response.status = 503 }
      return entry
    }
    let report = Self.report(entries, sizeLimit: 1 << 20)
    #expect(report.summary.exchanges + report.summary.leftOut == 3_000)
    #expect(report.summary.leftOut > 1_000 && report.summary.exchanges > 150)
    for number in stride(from: 500, through: 3_000, by: 500) {
      #expect(try report.block("entry-\(number)") != nil, "the failed ones stay")
    }
    for (index, entry) in entries.enumerated() where entry.time >= 2_900 {
      #expect(report.text.contains("id=\"entry-\(index + 1)\""), "the slowest stay")
    }
    #expect(try report.block("critical")?["pages"] == [], "a path through missing exchanges explains nothing")
  }

  @Test("Of exchanges that are equally quick, as many stay as fit")
  func leavingOut() throws {
    var entry = HAREntry.ordinary()
    entry.comment = String(repeating: "x", count: 10_000)
    let report = Self.report([HAREntry](repeating: entry, count: 200), sizeLimit: 1 << 20)
    #expect(report.summary.exchanges + report.summary.leftOut == 200)
    #expect(report.summary.leftOut > 50 && report.summary.bytes < (1 << 20) + 100_000)
    #expect(try report.block("outcome")?["leftOut"]?.integer == report.summary.leftOut)
    #expect(try report.block("entry-\(report.summary.exchanges)") != nil)
    #expect(try report.block("entry-\(report.summary.exchanges + 1)") == nil)
  }

  @Test("Rows come in several blocks, none lost")
  func rows() throws {
    let report = Self.report([HAREntry](repeating: .ordinary(), count: 1_000))
    var numbers: [Int] = []
    for index in 1... {
      guard let block = try report.block("rows-\(index)") else { break }
      numbers += (block.array ?? []).compactMap { $0.array?.first?.integer }
    }
    #expect(numbers == Array(1...1_000))
  }
}

extension HAREntry {
  /// As a reader gives it that was told how much of each body is wanted.
  fileprivate func read(limit: Int?) throws -> HAREntry {
    var reader = HARReader()
    if let limit { reader.limit(bodiesTo: limit) { ReportRow.Meaning.isInBodies(of: $0) } }
    reader.feed(Array(#"{"log":{"entries":["#.utf8) + json + Array("]}}".utf8))
    reader.finish()
    while let event = try reader.next() {
      if case .entry(let entry) = event { return entry }
    }
    preconditionFailure("what was written as an entry is read as one")
  }
}

internal import TapelineHAR
internal import TapelineInspect

/// Runs every command that reads captures, and discards the output. The oracle checks only that they finish.
extension CaptureOracle {
  private static let palette = Palette(isColored: true)
  private static let width = 100

  static func runCommands(_ input: [UInt8], entries: [HAREntry], pages: [HARPage]) throws(OracleViolation) {
    stats(entries)
    show(entries)
    waterfall(entries, pages)
    critical(entries, pages)
    models(entries)
    try replay(entries)
    report(input, entries)
    do throws(QueryError) {
      try list(entries)
      try diff(entries)
      try check(rulesFor: entries)
    } catch {
      throw OracleViolation("the oracle's queries are right: \(error)")
    }
    try lint(input)
  }

  private static func stats(_ entries: [HAREntry]) {
    for grouping in StatisticsGrouping.named {
      var statistics = CaptureStatistics(by: [grouping])
      for (index, entry) in entries.enumerated() { statistics.add(entry, number: index + 1) }
      _ = StatisticsText(statistics, groupCount: 2, width: width, palette: palette).lines
      _ = statistics.json.json
    }
  }

  private static func show(_ entries: [HAREntry]) {
    for (index, entry) in entries.enumerated() {
      _ = ExchangeSummary(number: index + 1, entry: entry, width: width, palette: palette, clock: .local).lines
      _ = RawMessages.bytes(of: entry)
      _ = MessageHeads.lines(of: entry)
      _ = DebugDescription.lines(of: entry)
      _ = LoggedBody(response: entry.response)
      _ = LoggedBody(request: entry.request)
      do throws(CurlRefusal) {
        _ = try CurlCommand(entry).text
      } catch {
        // Much of the fuzzed input is not a request.
      }
    }
  }

  private static func waterfall(_ entries: [HAREntry], _ pages: [HARPage]) {
    for grouping in WaterfallGrouping.allCases {
      var waterfall = Waterfall(grouping: grouping)
      for page in pages { waterfall.add(page) }
      for (index, entry) in entries.enumerated() { waterfall.add(entry, number: index + 1) }
      for width in [20, width] { _ = WaterfallText(waterfall, width: width, palette: palette).lines }
    }
  }

  private static func critical(_ entries: [HAREntry], _ pages: [HARPage]) {
    var search = CriticalPathSearch()
    for page in pages { search.add(page) }
    for (index, entry) in entries.enumerated() { search.add(entry, number: index + 1) }
    guard search.select(page: nil) else { return }
    for (index, entry) in entries.enumerated() { search.readBody(of: entry, number: index + 1) }
    for width in [20, width] { _ = CriticalPathText(search, beside: 3, width: width, palette: palette).lines }
    _ = search.json.json
  }

  private static func models(_ entries: [HAREntry]) {
    var calls = ModelCalls()
    for (index, entry) in entries.enumerated() { calls.add(entry, number: index + 1) }
    for report in ModelView.allCases.map({ ModelReport(calls, $0) }) {
      _ = (report.lines(width: width, palette: palette), report.jsonLines, report.csv([]))
    }
  }

  private static func list(_ entries: [HAREntry]) throws(QueryError) {
    let columns = try ListColumns("number,start,status,total,wait,resp.size,content.size,req.size,_chunks,_tcp.server.rtt")
    let table = ExchangeTable(columns: columns, width: width, palette: palette, clock: .local)
    var sorted = SortedExchanges<ExchangeRow>(order: try ListOrder("total:desc"), limit: 3)
    for (index, entry) in entries.enumerated() {
      sorted.add(entry, number: index + 1) { table.row(for: entry, number: index + 1) }
      _ = ExchangeRecords.json(entry, number: index + 1, columns: columns)
      _ = ExchangeRecords.csv(entry, number: index + 1, columns: columns, [.spreadsheet, .terminal])
    }
    let rows = sorted.results()
    var groups = table.groups
    for row in rows { _ = groups.lines(adding: row) }
    _ = groups.rest()
    for width in [20, 60, 80, 140] { tables(entries, width: width) }
  }

  /// The cells of a table with the usual columns.
  private static func tables(_ entries: [HAREntry], width: Int) {
    let table = ExchangeTable(columns: .standard(width: width), width: width, palette: palette, clock: .utc)
    var groups = table.groups
    for (index, entry) in entries.enumerated() { _ = groups.lines(adding: table.row(for: entry, number: index + 1)) }
    _ = groups.rest()
  }

  private static func diff(_ entries: [HAREntry]) throws(QueryError) {
    var before = CaptureProfile(file: "before")
    var after = CaptureProfile(file: "after")
    for (index, entry) in entries.enumerated() {
      before.add(entry, number: index + 1)
      var slower = entry
      slower.time *= 2
      after.add(slower, number: index + 1)
    }
    let difference = Difference(before: before, after: after)
    let limits = try ["p95 +10%", "size +10%", "wire +1MiB", "count +1", "errors +0"].map {
      (text) throws(QueryError) in try DifferenceLimit(text)
    }
    let verdicts = limits.map { $0.judge(difference, naming: 3) }
    _ = DifferenceText(difference, verdicts: verdicts, limit: 3, width: width, palette: palette).lines
    _ = DifferenceMarkdown(difference, verdicts: verdicts, limit: 3).lines
    _ = difference.json(verdicts: verdicts).json
  }

  private static func check(rulesFor entries: [HAREntry]) throws(QueryError) {
    let rules = [
      "p95(total) < 1ms", "sum(resp.size) < 1B", "mean(wait) < 1ms", "max(content.size) < 1KiB", "all(total < 1ms)",
      "none(status >= 1)",
    ]
    var checks: [AssertionCheck] = []
    for rule in rules {
      let assertion = try Assertion(rule)
      checks.append(AssertionCheck(assertion, baseline: AssertionBaseline(for: assertion), naming: 3))
    }
    for (index, entry) in entries.enumerated() {
      for check in checks.indices { checks[check].add(entry, number: index + 1) }
    }
    let report = AssertionReport(
      file: "capture.har", results: checks.map(\.result),
      floor: AssertionFloor(found: entries.count, required: 1, isFiltered: false))
    _ = report.text(width: width, palette: palette)
    _ = report.junit
    _ = report.githubAnnotations
    _ = report.json.json
  }

  /// A page is large, even for a small capture: it is made only for inputs that begin with a blank, as some seeds do.
  private static func report(_ input: [UInt8], _ entries: [HAREntry]) {
    var survey = ReportSurvey(ReportOptions(bodies: .all, sizeLimit: 1 << 20, title: "capture", version: "1"))
    for (index, entry) in entries.enumerated() { survey.add(entry, number: index + 1) }
    guard input.first == UInt8(ascii: " ") else { return }
    var writer = ReportWriter(survey.plan, log: HARLog(creator: HARCreator(name: "x", version: "1"))) { (_) throws(Never) in }
    for (index, entry) in entries.enumerated() { writer.write(entry, number: index + 1) }
    _ = writer.finish()
  }

  private static func replay(_ entries: [HAREntry]) throws(OracleViolation) {
    for entry in entries {
      let answer = ReplayAnswer(entry)
      try OracleViolation.require(
        answer.failure != nil || (200...999).contains(answer.status), "an answer has a status, or says why it has none")
      _ = RecordedRequest(entry)
    }
  }

  /// `lint --fix`: a finding that was fixable must not be found again.
  private static func lint(_ input: [UInt8]) throws(OracleViolation) {
    var lint = HARLint(profiles: Set(HARProfile.allCases))
    do throws(HARReadError) {
      try lint.feed(input.span) { _ in }
      try lint.finish { _ in }
    } catch {
      return
    }
    let output = ByteSink()
    var repair = HARRepair(lint) { (piece) throws(Never) in output.append(piece) }
    do throws(HARRepair<Never>.Interruption) {
      try repair.feed(input.span)
      try repair.finish()
    } catch {
      throw OracleViolation("what was looked through can be mended: \(error)")
    }
    try OracleViolation.requireEqual(CaptureReading(of: output.bytes, .whole).failure, nil, "what is mended is a capture")
  }
}

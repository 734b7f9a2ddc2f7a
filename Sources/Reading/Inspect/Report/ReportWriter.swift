package import TapelineHAR

/// Writes a capture as one HTML file, exchange by exchange; it holds one exchange and one piece in memory.
///
/// The content of the capture goes into the page as data only: none of its text is markup, and the page's policy lets only the
/// page's own script run.
package struct ReportWriter<Failure: Error>: ~Copyable {
  private let sink: (Span<UInt8>) throws(Failure) -> Void
  private let plan: ReportPlan
  private var blocks = ReportBlocks()
  private var summary = ReportSummary()
  private var critical: ReportCriticalPath
  private var selection: ReportSelection?

  /// The number of bytes to collect before they are written.
  private static var pieceSize: Int { 64 << 10 }

  /// - Parameters:
  ///   - log: the content of the capture besides its entries.
  ///   - sink: takes the next bytes of the file. They are lent for the call.
  package init(_ plan: ReportPlan, log: HARLog, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    self.plan = plan
    self.sink = sink
    critical = plan.critical
    selection = plan.selection
    blocks.append(page: ReportPage.opening(title: plan.options.title).span)
    blocks.append(ReportHeader.value(of: log, plan.options, bodyLimit: plan.bodyLimit), id: "capture")
  }

  /// Whether the exchanges that follow are only counted.
  package var isFull: Bool {
    let waiting = blocks.count + summary.exchanges * ReportCriticalPath.rowSize + ReportPage.closingSize
    return summary.bytes + waiting >= plan.options.sizeLimit
  }

  /// Writes an exchange, unless the report has reached its maximum size or keeps others.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func write(_ entry: HAREntry, number: Int) throws(Failure) {
    guard !isFull, selection?.takes(entry) ?? true else { return leaveOut() }
    critical.readBody(of: entry, number: number, upTo: plan.readingLimit)
    let entry = ReportEntry(entry, number: number, bodies: plan.options.bodies, bodyLimit: plan.bodyLimit)
    summary.exchanges += 1
    summary.cutBodies += entry.cutCount
    blocks.append(row: entry)
    blocks.append(entry)
    blocks.append(bodiesOf: entry)
    if blocks.count >= Self.pieceSize { try giveAway() }
  }

  /// Counts an exchange that the report, which is full, leaves out.
  package mutating func leaveOut() {
    summary.leftOut += 1
  }

  /// Writes the part after the last exchange.
  package consuming func finish() throws(Failure) -> ReportSummary {
    blocks.closeRows()
    critical.append(to: &blocks, exchangeCount: plan.exchangeCount)
    blocks.append(summary.value, id: "outcome")
    blocks.append(page: ReportPage.closing.span)
    try giveAway()
    return summary
  }

  private mutating func giveAway() throws(Failure) {
    summary.bytes += blocks.count
    try blocks.flush(sink)
  }
}

/// The options of a report: its content, size limit, title and time zone.
package struct ReportOptions: Sendable, Hashable {
  /// The bodies to include; messages of a WebSocket and the fields of forms count as bodies.
  package enum Bodies: String, CaseIterable, Sendable {
    case none
    /// Bodies that the log has as text.
    case text
    case all
  }

  package var bodies: Bodies
  /// The approximate maximum size in bytes: bodies are cut first, then the quickest exchanges are left out.
  package var sizeLimit: Int
  /// The heading of the report, usually the name of the capture.
  package var title: String
  /// The version of the program that makes the report.
  package var version: String

  /// Whether times are shown in UTC instead of the zone of the person who reads the report.
  package var isUTC: Bool

  package init(bodies: Bodies, sizeLimit: Int, title: String, version: String, isUTC: Bool = false) {
    self.isUTC = isUTC
    self.bodies = bodies
    self.sizeLimit = sizeLimit
    self.title = title
    self.version = version
  }
}

/// The result of writing a report.
package struct ReportSummary: Sendable, Hashable {
  /// Exchanges in the report, and exchanges left out for lack of room.
  package internal(set) var exchanges = 0
  package internal(set) var leftOut = 0
  /// Bodies that are missing from the report or cut.
  package internal(set) var cutBodies = 0
  package internal(set) var bytes = 0

  /// The summary in the form that the page reads.
  var value: HARValue {
    [
      "exchanges": .number(HARNumber(exchanges)), "leftOut": .number(HARNumber(leftOut)),
      "cutBodies": .number(HARNumber(cutBodies)),
    ]
  }
}

package import TapelineHAR

/// Writes a capture as one HTML file, exchange by exchange; what it holds is one exchange and one piece.
///
/// What the capture says comes into the page as data only: no text of it is markup, and the policy of the page lets nothing run
/// but its own script.
package struct ReportWriter<Failure: Error>: ~Copyable {
  private let sink: (Span<UInt8>) throws(Failure) -> Void
  private let plan: ReportPlan
  private var blocks = ReportBlocks()
  private var summary = ReportSummary()

  /// So much text is gathered before it is given away.
  private static var pieceSize: Int { 64 << 10 }

  /// - Parameters:
  ///   - log: what the capture says besides its entries.
  ///   - sink: takes the next bytes of the file. They are lent for the call.
  package init(_ plan: ReportPlan, log: HARLog, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    self.plan = plan
    self.sink = sink
    blocks.append(page: ReportPage.opening(title: plan.options.title).span)
    blocks.append(ReportHeader.value(of: log, plan: plan), id: "capture")
  }

  /// Whether what follows is only counted.
  package var isFull: Bool { summary.bytes + blocks.count + ReportPage.closingSize >= plan.options.sizeLimit }

  /// Writes an exchange, unless the report is as large as it may be.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func write(_ entry: HAREntry, number: Int) throws(Failure) {
    guard !isFull else {
      summary.leftOut += 1
      return
    }
    let entry = ReportEntry(entry, number: number, bodies: plan.options.bodies, bodyLimit: plan.bodyLimit)
    summary.exchanges += 1
    summary.cutBodies += entry.cutCount
    blocks.append(row: entry)
    blocks.append(entry)
    blocks.append(bodiesOf: entry)
    if blocks.count >= Self.pieceSize { try giveAway() }
  }

  /// Writes what follows the last exchange.
  package consuming func finish() throws(Failure) -> ReportSummary {
    blocks.closeRows()
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

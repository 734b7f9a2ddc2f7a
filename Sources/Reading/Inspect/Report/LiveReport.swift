package import TapelineHAR
internal import TapelineBase

/// The page of a report for exchanges that are still happening, and what it is told of them, in the shapes that a report has.
package struct LiveReport: Sendable {
  private let options: ReportOptions

  /// Bytes of each body's text, of the messages and of a form's fields that the page is told: what one answer holds in memory is
  /// bounded.
  package static let bodyLimit = 256 << 10

  /// - Parameters:
  ///   - title: the heading.
  ///   - version: of the program.
  package init(title: String, version: String) {
    options = ReportOptions(bodies: .all, sizeLimit: .max, title: title, version: version)
  }

  package var version: String { options.version }

  /// The document.
  package var page: [UInt8] {
    var blocks = ReportBlocks()
    blocks.append(header(of: HARLog(creator: HARCreator(name: "tapeline", version: options.version))), id: "capture")
    blocks.append(ReportSummary().value, id: "outcome")
    var text: [UInt8] = []
    blocks.flush { text.append(bytes: $0) }
    return ReportPage.live(title: options.title, text)
  }

  /// Its policy (CSP 3), which ends with a semicolon.
  package var policy: String { ReportPage.livePolicy + ";" }

  /// The facts about the whole capture.
  package func header(of log: HARLog) -> HARValue {
    ReportHeader.value(of: log, options)
  }

  /// Appends the row of an entry.
  ///
  /// - Parameters:
  ///   - json: exactly one entry.
  ///   - number: by which the page knows the exchange.
  package static func append(
    rowOf json: Span<UInt8>, number: Int, to output: inout JSONWriter
  ) throws(HARReadError) {
    var entry = try HAREntry(json: json, parts: .row)
    // Bodies are large, and say nothing in the rows of others.
    if ReportRow.Meaning.isInBodies(of: entry) { entry = try HAREntry(json: json, parts: ModelCall.parts) }
    ReportRow.append(entry, number: number, to: &output)
  }

  /// Appends what the details of an exchange show: an object of the blocks that a report has for it.
  package static func append(
    detailsOf json: Span<UInt8>, number: Int, to output: inout JSONWriter
  ) throws(HARReadError) {
    var whole = try HAREntry(json: json, bodyLimit: bodyLimit)
    whole.limitLists(to: bodyLimit)
    let entry = ReportEntry(whole, number: number, bodies: .all, bodyLimit: bodyLimit)
    output.append(json: #"{"entry":"#)
    output.append(entry: entry.entry)
    if let body = entry.requestBody {
      output.append(json: #","request":"#)
      output.append(body: body)
    }
    if let body = entry.responseBody {
      output.append(json: #","response":"#)
      output.append(body: body)
    }
    if !entry.events.isEmpty {
      output.append(json: #","events":"#)
      output.append(events: entry.events)
    }
    if !entry.answer.isEmpty {
      output.append(json: #","answer":"#)
      output.append(string: entry.answer)
    }
    output.append(byte: UInt8(ascii: "}"))
  }
}

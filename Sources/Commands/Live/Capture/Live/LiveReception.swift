internal import TapelineCoding
internal import TapelineDigest
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineBase

/// Says what each visitor of the live page gets. Used on the page's thread.
struct LiveReception {
  /// Tells this recording from earlier ones at the same address.
  let epoch = Hexadecimal.text(of: randomBytes(8))
  private let report: LiveReport
  /// Only the page knows it: others cannot have its requests sent in its name.
  private let key: String
  private var pages: (plain: [UInt8], gzip: [UInt8])?

  private static let longestName = 200

  init(report: LiveReport, key: String) {
    self.report = report
    self.key = key
  }

  /// - Parameters:
  ///   - readers: those who get news now.
  mutating func answer(
    _ visit: LocalVisit, _ capture: LiveCapture, _ details: LiveDetails, _ recorder: Recorder, readers: Int
  ) -> LiveConnection {
    let isPost = visit.path == LocalVisit.root + "/mark"
    guard visit.method == (isPost ? "POST" : "GET") || visit.method == "HEAD" && !isPost else {
      let allowed = isPost ? "POST" : "GET, HEAD"
      return LiveConnection(visit, visit.answer(405, "this address takes \(allowed).", allow: allowed))
    }
    guard visit.path != LocalVisit.devTools else { return panel(for: visit, capture, readers: readers) }
    switch visit.path.dropFirst(LocalVisit.root.count) {
    case "", "/": return LiveConnection(visit, page(for: visit))
    case "/events": return events(for: visit, capture, readers: readers)
    case "/mark": return LiveConnection(visit, mark(visit, recorder))
    case "/rules":
      let rules = ListedRule.members(ListedRule.list(of: details.server?.rules))
      return LiveConnection(visit, visit.answer(page: HARValue.object(rules).json, mediaType: "application/json"))
    case let path where path.hasPrefix("/exchange/"):
      return LiveConnection(visit, answer(about: Int(path.dropFirst("/exchange/".count)), for: visit, details))
    default: return LiveConnection(visit, visit.answer(404, "the live page has nothing at this address."))
    }
  }

  private mutating func page(for visit: LocalVisit) -> [UInt8] {
    if pages == nil {
      let page = report.page
      pages = (page, GzipCompressor(for: .size).compress(page))
    }
    let page = pages.map { visit.takesGzip ? $0.gzip : $0.plain } ?? []
    return visit.answer(
      page: page, mediaType: "text/html; charset=utf-8", policy: report.policy, isGzip: visit.takesGzip)
  }

  /// Chrome's panel attaches.
  private func panel(for visit: LocalVisit, _ capture: LiveCapture, readers: Int) -> LiveConnection {
    guard let answer = visit.webSocketAnswer else {
      return LiveConnection(
        visit,
        visit.answer(
          426,
          "Chrome's network panel attaches here, by a WebSocket; open \(LivePageDoor.panelAddress(at: "HOST:PORT", key: "KEY")) in Chrome."
        ))
    }
    return tooMany(readers, visit) ?? LiveConnection(visit, answer, .panel(DevToolsSession(from: capture.firstNumber)))
  }

  private func tooMany(_ readers: Int, _ visit: LocalVisit) -> LiveConnection? {
    guard readers >= LiveDesk.mostReaders else { return nil }
    return LiveConnection(visit, visit.answer(503, "\(readers) pages read already; close one of them."))
  }

  private func events(for visit: LocalVisit, _ capture: LiveCapture, readers: Int) -> LiveConnection {
    if let refusal = tooMany(readers, visit) { return refusal }
    let known = knownNumber(visit.lastEventID)
    let next = known.map { min($0 + 1, capture.nextNumber) } ?? capture.firstNumber
    var reader = LiveConnection.Reader(next: next)
    reader.headerVersion = capture.headerVersion
    var answer = visit.beginAnswer(mediaType: LiveEvent.mediaType)
    guard visit.method == "GET" else { return LiveConnection(visit, answer) }
    answer += "retry: 1000\n".utf8
    var greeting = JSONWriter()
    greeting.append(json: #"{"epoch":"#)
    greeting.append(string: epoch)
    greeting.append(json: #","token":"#)
    greeting.append(string: key)
    greeting.append(json: known == nil ? #","continues":false,"header":"# : #","continues":true,"header":"#)
    greeting.append(json: capture.header.span)
    greeting.append(byte: UInt8(ascii: "}"))
    LiveEvent.append("hello", data: greeting.bytes, to: &answer)
    return LiveConnection(visit, answer, .reader(reader))
  }

  /// The last exchange of this recording that the reader has; `nil` if it has none.
  private func knownNumber(_ lastEvent: String?) -> Int? {
    guard let parts = lastEvent?.split(separator: "-"), parts.count == 2, parts[0] == epoch, let number = Int(parts[1]) else {
      return nil
    }
    return number >= 0 && number < .max ? number : nil
  }

  private func answer(about number: Int?, for visit: LocalVisit, _ details: LiveDetails) -> [UInt8] {
    guard let number, let entry = number < 0 ? details.inFlight(UInt64(number.magnitude)) : details.entry(number) else {
      return visit.answer(404, "there is no such exchange, or no more.")
    }
    var details = JSONWriter()
    do throws(HARReadError) {
      try LiveReport.append(detailsOf: entry.span, number: number, to: &details)
    } catch {
      return visit.answer(404, "the entry cannot be read: \(error)")
    }
    return visit.answer(page: details.bytes, mediaType: "application/json")
  }

  private func mark(_ visit: LocalVisit, _ recorder: Recorder) -> [UInt8] {
    guard visit.token == key else { return visit.answer(403, "only the live page itself may do this.") }
    let name = PercentEncoding.decodeStrictly(visit.query) ?? ""
    guard !name.isEmpty, name.count <= Self.longestName else {
      return visit.answer(400, "a mark needs a name of at most \(Self.longestName) characters.")
    }
    return visit.answer(
      page: HARValue.object(["page": .string(recorder.beginPage(title: name))]).json, mediaType: "application/json")
  }
}

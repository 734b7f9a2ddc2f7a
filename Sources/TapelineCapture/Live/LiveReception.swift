internal import TapelineCoding
internal import TapelineDigest
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineText

/// Says what each visitor of the live page gets. Used on the page's thread.
struct LiveReception {
  /// Tells this recording from earlier ones at the same address.
  let epoch = Hexadecimal.text(of: randomBytes(8))
  private let report: LiveReport
  /// Only the page knows it: others cannot have its requests sent in its name.
  private let token = Hexadecimal.text(of: randomBytes(16))
  private var pages: (plain: [UInt8], gzip: [UInt8])?

  private static let longestName = 200

  init(report: LiveReport) {
    self.report = report
  }

  /// - Parameters:
  ///   - readers: those who read events now.
  ///   - inFlight: the entry of an exchange in flight by its number, as JSON.
  mutating func answer(
    _ visit: LocalVisit, _ capture: LiveCapture, _ recorder: Recorder, readers: Int, inFlight: (UInt64) -> [UInt8]?
  ) -> LiveConnection {
    guard Self.mayRead(visit) else {
      return LiveConnection(
        visit,
        visit.answer(
          403,
          "the live page shows what \(CurrentUser.effectiveID == 0 ? "root" : "another user") records; open it as that user on that machine, or give the proxy a password (--auth)."
        ))
    }
    let isPost = visit.path == "/mark"
    guard visit.method == (isPost ? "POST" : "GET") || visit.method == "HEAD" && !isPost else {
      let allowed = isPost ? "POST" : "GET, HEAD"
      return LiveConnection(visit, visit.answer(405, "this address takes \(allowed).", allow: allowed))
    }
    switch visit.path {
    case "", "/": return LiveConnection(visit, page(for: visit))
    case "/events": return events(for: visit, capture, readers: readers)
    case "/mark": return LiveConnection(visit, mark(visit, recorder))
    case let path where path.hasPrefix("/exchange/"):
      return LiveConnection(visit, details(of: Int(path.dropFirst("/exchange/".count)), for: visit, capture, inFlight))
    default: return LiveConnection(visit, visit.answer(404, "the live page has nothing at this address."))
    }
  }

  /// The log is for its owner alone; so is the page.
  private static func mayRead(_ visit: LocalVisit) -> Bool {
    if visit.isAdmitted { return true }
    guard let user = visit.user else { return false }
    return user == CurrentUser.effectiveID || user == 0
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

  private func events(for visit: LocalVisit, _ capture: LiveCapture, readers: Int) -> LiveConnection {
    guard readers < LiveDesk.mostReaders else {
      return LiveConnection(visit, visit.answer(503, "\(readers) pages read already; close one of them."))
    }
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
    greeting.append(string: token)
    greeting.append(json: known == nil ? #","continues":false,"header":"# : #","continues":true,"header":"#)
    greeting.append(json: capture.header.span)
    greeting.append(byte: UInt8(ascii: "}"))
    LiveEvent.append("hello", data: greeting.bytes, to: &answer)
    return LiveConnection(visit, answer, reader: reader)
  }

  /// The last exchange of this recording that the reader has; `nil` if it has none.
  private func knownNumber(_ lastEvent: String?) -> Int? {
    guard let parts = lastEvent?.split(separator: "-"), parts.count == 2, parts[0] == epoch, let number = Int(parts[1]) else {
      return nil
    }
    return number >= 0 && number < .max ? number : nil
  }

  private func details(
    of number: Int?, for visit: LocalVisit, _ capture: LiveCapture, _ inFlight: (UInt64) -> [UInt8]?
  ) -> [UInt8] {
    let entry = number.flatMap { $0 < 0 ? inFlight(UInt64($0.magnitude)) : capture.entry($0) }
    guard let entry, let number else { return visit.answer(404, "there is no such exchange, or no more.") }
    var details = JSONWriter()
    do throws(HARReadError) {
      try LiveReport.append(detailsOf: entry.span, number: number, to: &details)
    } catch {
      return visit.answer(404, "the entry cannot be read: \(error)")
    }
    return visit.answer(page: details.bytes, mediaType: "application/json")
  }

  private func mark(_ visit: LocalVisit, _ recorder: Recorder) -> [UInt8] {
    guard visit.token == token else { return visit.answer(403, "only the live page itself may do this.") }
    let name = PercentEncoding.decodeStrictly(visit.query) ?? ""
    guard !name.isEmpty, name.count <= Self.longestName else {
      return visit.answer(400, "a mark needs a name of at most \(Self.longestName) characters.")
    }
    return visit.answer(
      page: HARValue.object(["page": .string(recorder.beginPage(title: name))]).json, mediaType: "application/json")
  }
}

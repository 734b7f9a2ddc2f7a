import TapelineBase
import TapelineHAR

@testable import TapelineInspect

/// A client of another kind than `GeneratedRun`'s, by another simulation: work that is done in steps, each of which may ask for
/// something, go on with an answer, come back after a pause, or wait for several.
///
/// Six connections to each server as browsers have them, or one that all share; what the page needs first goes first.
struct ScriptedRun {
  /// What a step asks for, and what it does with the answer.
  final class Work {
    let url: String
    let type: String
    var text = ""
    var redirect: String?
    var status = 200
    let wait: Int
    let receive: Int
    let urgency: Int
    var referer: Work?
    /// After the answer, or after this share of it, in percent; and the client's time before the next.
    var next: [(work: Work, share: Int, pause: Int)] = []
    /// How many others must be over before it.
    var joins = 1
    fileprivate(set) var number = -1
    fileprivate var arrivals = 0
    fileprivate var wanted = 0
    fileprivate var sent = 0
    fileprivate var firstByte = 0
    fileprivate var end = 0
    fileprivate var opening = 0
    fileprivate var connection = 0

    init(_ url: String, _ type: String, wait: Int, receive: Int, urgency: Int = 1) {
      (self.url, self.type, self.wait, self.receive, self.urgency) = (url, type, wait, receive, urgency)
    }

    var host: String { url.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//") }
  }

  let entries: [HAREntry]
  let end: Double
  /// The end without each exchange, in milliseconds; by their numbers from 1.
  let endsWithout: [Double]

  private static let connectTime = 12_000_000
  private static let limit = 6

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let isShared = seed % 3 == 0
    let isBrowser = seed % 2 == 0
    var script = Script(random: random)
    let first = script.page()
    random = script.random
    let order = Self.happen(first, script.all, isShared: isShared, without: nil)
    for (index, work) in order.enumerated() { work.number = index }
    entries = order.map { Self.entry($0, isShared: isShared, isBrowser: isBrowser) }
    end = Double(order.map(\.end).max() ?? 0) / 1e6
    var ends: [Double] = []
    for removed in order {
      let others = Self.happen(first, script.all, isShared: isShared, without: removed)
      ends.append(Double(others.map(\.end).max() ?? 0) / 1e6)
    }
    endsWithout = ends
  }

  /// - Returns: in the order in which they were sent.
  private static func happen(_ first: Work, _ all: [Work], isShared: Bool, without removed: Work?) -> [Work] {
    for work in all { work.arrivals = 0 }
    var done: [Work] = []
    var coming: [(at: Int, work: Work)] = [(0, first)]
    var waiting: [String: [Work]] = [:]
    var busy: [String: Int] = [:]
    var idle: [String: [Int]] = [:]
    var leaving: [(at: Int, work: Work)] = []
    var opened = 0
    func finish(_ work: Work) {
      for (next, share, pause) in work.next {
        let moment = share == 100 ? work.end : work.firstByte + (work.end - work.firstByte) * share / 100
        coming.append((moment + pause, next))
      }
    }
    func send(_ work: Work, at moment: Int) {
      let host = work.host
      if let last = idle[host]?.popLast() {
        work.connection = last
        work.opening = 0
        if isShared { idle[host, default: []].append(last) }
      } else {
        opened += 1
        work.connection = opened
        work.opening = connectTime
        if isShared { idle[host, default: []].append(opened) }
      }
      busy[host, default: 0] += 1
      work.sent = moment
      work.firstByte = moment + work.opening + work.wait
      work.end = work.firstByte + work.receive
      done.append(work)
      leaving.append((work.end, work))
      finish(work)
    }
    while true {
      let arrival = coming.indices.min { coming[$0].at < coming[$1].at }
      let departure = leaving.indices.min { leaving[$0].at < leaving[$1].at }
      if let departure, arrival.map({ leaving[departure].at <= coming[$0].at }) ?? true {
        let (moment, work) = leaving.remove(at: departure)
        busy[work.host, default: 0] -= 1
        if !isShared { idle[work.host, default: []].append(work.connection) }
        // What the page needs first, and of these the one that was wanted first.
        let queue = waiting[work.host, default: []]
        if let next = queue.indices.min(by: { (queue[$0].urgency, queue[$0].wanted) < (queue[$1].urgency, queue[$1].wanted) }) {
          let chosen = queue[next]
          waiting[work.host]?.remove(at: next)
          send(chosen, at: moment + 30_000)
        }
        continue
      }
      guard let arrival else { break }
      let (moment, work) = coming.remove(at: arrival)
      work.arrivals += 1
      guard work.arrivals == work.joins else { continue }
      work.wanted = moment
      if work === removed {
        (work.sent, work.firstByte, work.end) = (moment, moment, moment)
        done.append(work)
        finish(work)
      } else if isShared || busy[work.host, default: 0] < limit {
        send(work, at: moment)
      } else {
        waiting[work.host, default: []].append(work)
      }
    }
    return done
  }

  private static func entry(_ work: Work, isShared: Bool, isBrowser: Bool) -> HAREntry {
    let start = (isBrowser ? work.wanted : work.sent) / 1_000
    func milliseconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1e6 }
    func padded(_ number: Int, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    let seconds = start / 1_000_000
    let version = isShared ? "h2" : "HTTP/1.1"
    var entry = HAREntry(
      pageref: "page_1",
      startedDateTime: "2026-01-02T03:\(padded(seconds / 60, 2)):\(padded(seconds % 60, 2)).\(padded(start % 1_000_000, 6))Z",
      time: milliseconds(work.end - start * 1_000),
      request: HARRequest(method: "GET", url: work.url, httpVersion: version),
      response: HARResponse(
        status: work.status, statusText: "", httpVersion: version,
        content: HARContent(size: work.text.utf8.count, mimeType: work.type, text: work.text), redirectURL: work.redirect ?? ""),
      timings: HARTimings(
        blocked: milliseconds(work.sent - start * 1_000), dns: -1, connect: work.opening > 0 ? milliseconds(work.opening) : -1,
        send: 0, wait: milliseconds(work.wait), receive: milliseconds(work.receive)))
    if let referer = work.referer { entry.request.headers = [HARHeader(name: "Referer", value: referer.url)] }
    entry.custom[isBrowser ? "_connectionId" : "_clientConnectionId"] = .string(String(work.connection))
    return entry
  }
}

/// Writes what a client does: a page of a shop, whose programs ask for data.
private struct Script {
  var random: SeededGenerator
  private(set) var all: [ScriptedRun.Work] = []
  private var document: ScriptedRun.Work?

  init(random: SeededGenerator) {
    self.random = random
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }

  private mutating func pause() -> Int { pick(100_000...6_000_000) }

  private mutating func make(_ url: String, _ type: String, slow: Int = 1, urgency: Int = 1) -> ScriptedRun.Work {
    let work = ScriptedRun.Work(
      url, type, wait: pick(4_000_000...60_000_000) * slow, receive: pick(200_000...40_000_000), urgency: urgency)
    work.referer = document
    all.append(work)
    return work
  }

  mutating func page() -> ScriptedRun.Work {
    let shop = "http://shop.example"
    var first: ScriptedRun.Work?
    var before: ScriptedRun.Work?
    for hop in 0..<pick(0...2) {
      let work = make("\(shop)/to/\(hop)?s=\(hop)", "text/html")
      work.status = hop == 0 ? 301 : 307
      if let before { lead(before, to: work) }
      first = first ?? work
      before = work
    }
    let page = make("\(shop)/home", "text/html", slow: pick(1...4), urgency: 0)
    document = page
    if let before { lead(before, to: page) }
    page.text = "<!doctype html>" + String(repeating: "<p>words</p>", count: 30)
    for number in 0..<pick(1...3) { style(page, number) }
    for number in 0..<pick(3...14) {
      let picture = make("\(chance(60) ? shop : "http://img.example")/p/\(number).webp", "image/webp", urgency: 3)
      page.text += "<img src=\"\(picture.url)\">"
      page.next.append((picture, pick(0...10) * 10, pause()))
    }
    for number in 0..<pick(1...4) { program(page, number) }
    return first ?? page
  }

  private mutating func lead(_ source: ScriptedRun.Work, to target: ScriptedRun.Work) {
    source.redirect = target.url
    source.next.append((target, 100, pause()))
  }

  /// A style sheet, another that it imports, and a picture and a font of it.
  private mutating func style(_ page: ScriptedRun.Work, _ number: Int) {
    let sheet = make("http://shop.example/s/\(number).css", "text/css", urgency: 0)
    page.text += "<link rel=stylesheet href=/s/\(number).css>"
    page.next.append((sheet, pick(0...3) * 10, pause()))
    guard chance(60) else { return }
    let imported = make("http://shop.example/s/more/\(number).css", "text/css", urgency: 0)
    imported.referer = sheet
    sheet.text = "@import url(more/\(number).css);"
    sheet.next.append((imported, 100, pause()))
    let font = make("http://shop.example/s/more/f\(number).woff2", "font/woff2", urgency: 1)
    font.referer = imported
    imported.text = "@font-face { src: url('f\(number).woff2') }"
    imported.next.append((font, 100, pause()))
  }

  /// A program, a module that it loads, and the requests of both.
  private mutating func program(_ page: ScriptedRun.Work, _ number: Int) {
    let program = make("http://shop.example/j/\(number).mjs", "text/javascript", urgency: 0)
    page.text += "<script type=module src='j/\(number).mjs'></script>"
    page.next.append((program, pick(0...5) * 10, pause()))
    var last = program
    if chance(50) {
      let module = make("http://shop.example/j/parts/\(number).mjs", "text/javascript", urgency: 0)
      program.text = "import { run } from './parts/\(number).mjs';"
      module.referer = program
      program.next.append((module, 100, pause()))
      last = module
    }
    switch pick(0...3) {
    case 0: list(last, number)
    case 1: again(last, number)
    case 2: together(last, number)
    default: chain(last, number)
    }
  }

  /// The answer names what comes next, at its end.
  private mutating func list(_ source: ScriptedRun.Work, _ number: Int) {
    let list = make("http://api.example/lists/\(number)", "application/json", slow: pick(1...6))
    source.text += "fetch('http://api.example/lists/\(number)')"
    source.next.append((list, 100, pause()))
    list.text = "[" + String(repeating: "\"entry\",", count: 100)
    for item in 0..<pick(1...4) {
      let work = make("http://api.example/items/\(number)-\(item)", "application/json", slow: pick(1...3))
      list.text += "\"/items/\(number)-\(item)\","
      list.next.append((work, 100, pause()))
    }
    list.text += "0]"
  }

  /// The server has no time, and is asked again.
  private mutating func again(_ source: ScriptedRun.Work, _ number: Int) {
    source.text += "load(\"http://api.example/stock/\(number)\")"
    var last = source
    for _ in 0..<pick(2...3) {
      let work = make("http://api.example/stock/\(number)", "application/json")
      work.status = 503
      last.next.append((work, 100, last === source ? pause() : pick(20...60) * 1_000_000))
      last = work
    }
    last.status = 200
  }

  /// Several at once, and one when all have answered.
  private mutating func together(_ source: ScriptedRun.Work, _ number: Int) {
    let sum = make("http://api.example/sum/\(number)", "application/json", slow: pick(1...4))
    let count = pick(2...5)
    sum.joins = count
    let after = pause()
    for part in 0..<count {
      let work = make("http://api.example/parts/\(number)/\(part)", "application/json", slow: pick(1...4))
      source.text += "get('http://api.example/parts/\(number)/\(part)');"
      source.next.append((work, 100, 300_000))
      work.next.append((sum, 100, after))
    }
    source.text += "then('http://api.example/sum/\(number)');"
  }

  /// Addresses from parts: nothing names them.
  private mutating func chain(_ source: ScriptedRun.Work, _ number: Int) {
    var last = source
    for call in 0..<pick(2...4) {
      let work = make("http://api.example/v2/\(number)\(call)?page=\(call)", "application/json", slow: pick(1...3))
      last.next.append((work, 100, pause()))
      last = work
    }
  }
}

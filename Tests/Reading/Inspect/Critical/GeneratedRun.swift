import TapelineBase
import TapelineHAR

@testable import TapelineInspect

/// A client that loads pages and calls services, made of a seed: what it does, the log of it, and the truth about it.
struct GeneratedRun {
  struct Edge: Hashable {
    let source: Int
    let target: Int
  }

  /// An exchange before it has happened; times in nanoseconds.
  fileprivate struct Step {
    var url: String
    var status = 200
    var type: String
    var body: [String] = []
    var redirect = ""
    var referer: Int?
    /// What it waits for, and whether the first byte is enough.
    var parents: [(step: Int, isEarly: Bool)] = []
    /// Those of the parents that nothing in the log names.
    var hidden: Set<Int> = []
    var think: Int
    var wait: Int
    var receive: Int
  }

  fileprivate struct Happened {
    /// When the client wanted it.
    var wanted = 0
    var ready = 0
    var connect = 0
    var firstByte = 0
    var end = 0
    var connection = 0
    var previous: Int?
  }

  let entries: [HAREntry]
  /// What an exchange waited for.
  private(set) var truth: Set<Edge> = []
  /// Those of the truth that the log shows.
  private(set) var inferable: Set<Edge> = []
  /// The end of the run without each exchange, in milliseconds.
  let endsWithout: [Double]
  let end: Double

  init(seed: UInt64) {
    var maker = Maker(seed: seed)
    let steps = maker.steps()
    let happened = maker.happen(steps, without: nil)
    let isBrowser = maker.isBrowser
    entries = steps.indices.map { Self.entry(steps, happened, $0, isBrowser: isBrowser, isMultiplexed: maker.isMultiplexed) }
    end = Double(happened.map(\.end).max() ?? 0) / 1e6
    endsWithout = steps.indices.map { index in Double(maker.happen(steps, without: index).map(\.end).max() ?? 0) / 1e6 }
    for (target, step) in steps.enumerated() {
      for parent in step.parents {
        let edge = Edge(source: parent.step, target: target)
        truth.insert(edge)
        guard step.hidden.contains(parent.step) else {
          inferable.insert(edge)
          continue
        }
        // Only order tells: it must be the last that ended.
        let (ended, began) = (happened[parent.step].end, happened[target].wanted)
        let isLast = happened.indices.allSatisfy { $0 == target || happened[$0].end <= ended || happened[$0].end > began }
        if isLast, happened[target].wanted - ended <= 20_000_000 { inferable.insert(edge) }
      }
      if let previous = happened[target].previous, happened[target].ready - happened[target].wanted > 1_000_000 {
        truth.insert(Edge(source: previous, target: target))
        inferable.insert(Edge(source: previous, target: target))
      }
    }
  }

  private static func entry(
    _ steps: [Step], _ happened: [Happened], _ index: Int, isBrowser: Bool, isMultiplexed: Bool
  ) -> HAREntry {
    let (step, times) = (steps[index], happened[index])
    // A browser's log begins with the wish, a proxy's with the first byte.
    let start = isBrowser ? times.wanted : times.ready
    func milliseconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1e6 }
    let send = 1_000
    let timings = HARTimings(
      blocked: milliseconds(times.ready - start), dns: -1, connect: times.connect > 0 ? milliseconds(times.connect) : -1,
      send: milliseconds(send), wait: milliseconds(max(0, times.firstByte - times.ready - times.connect - send)),
      receive: milliseconds(times.end - times.firstByte))
    let version = isMultiplexed ? "h2" : "HTTP/1.1"
    let microseconds = start / 1_000
    let fraction = String(microseconds % 1_000_000)
    let seconds = microseconds / 1_000_000
    let clock = [seconds / 60, seconds % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    var entry = HAREntry(
      pageref: "page_1",
      startedDateTime: "2026-01-02T03:\(clock).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)Z",
      time: milliseconds(times.end - start), request: HARRequest(method: "GET", url: step.url, httpVersion: version),
      response: HARResponse(
        status: step.status, statusText: "", httpVersion: version,
        content: HARContent(size: 1, mimeType: step.type, text: step.body.joined(separator: "\n")), redirectURL: step.redirect),
      timings: timings)
    if let referer = step.referer { entry.request.headers = [HARHeader(name: "Referer", value: steps[referer].url)] }
    entry.custom[isBrowser ? "_connectionId" : "_clientConnectionId"] = .string(String(times.connection))
    return entry
  }
}

/// Makes the steps of a run, and lets them happen.
private struct Maker {
  private var random: SeededGenerator
  let isBrowser: Bool
  let isMultiplexed: Bool
  private let connectionLimit: Int
  private let connectTime: Int
  private var made: [GeneratedRun.Step] = []

  private static let hosts = ["https://shop.example", "https://static.example:8443", "http://api.example"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isBrowser = Bool.random(using: &random)
    isMultiplexed = Int.random(in: 0..<4, using: &random) == 0
    connectionLimit = Int.random(in: 2...6, using: &random)
    connectTime = Int.random(in: 1_000_000...30_000_000, using: &random)
  }

  // MARK: Steps

  mutating func steps() -> [GeneratedRun.Step] {
    made = []
    if chance(70) {
      page()
    } else {
      command()
    }
    return made
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func step(
    _ path: String, host: Int = 0, _ type: String, after parents: [(step: Int, isEarly: Bool)] = [], referer: Int? = nil
  ) -> Int {
    made.append(
      GeneratedRun.Step(
        url: Self.hosts[host] + path, type: type, referer: referer, parents: parents, think: pick(200_000...8_000_000),
        wait: pick(5_000_000...200_000_000), receive: pick(100_000...30_000_000)))
    return made.count - 1
  }

  /// A document with its parts, programs and what they ask for.
  private mutating func page() {
    var first: Int?
    for hop in 0..<pick(0...2) {
      let next = step("/go/\(hop)", "text/html", after: first.map { [(step: $0, isEarly: false)] } ?? [])
      leads(from: first, to: next)
      first = next
    }
    let document = step("/", "text/html; charset=utf-8", after: first.map { [(step: $0, isEarly: false)] } ?? [])
    leads(from: first, to: document)
    for number in 0..<pick(1...3) {
      let style = part(of: document, "/css/main\(number).css", "text/css", "<link rel=stylesheet href=\"", "\">")
      for font in 0..<pick(0...2) {
        let path = "/css/fonts/f\(number)-\(font).woff2"
        let made = step(path, host: host(of: style), "font/woff2", after: [(step: style, isEarly: false)], referer: style)
        self.made[style].body.append("@font-face{src:url(fonts/f\(number)-\(font).woff2) format('woff2')}")
        self.made[made].think = pick(200_000...3_000_000)
      }
    }
    for number in 0..<pick(0...8) { _ = part(of: document, "/img/i\(number).png", "image/png", "<img src=", ">") }
    for number in 0..<pick(1...3) {
      let script = part(of: document, "/js/app\(number).js", "text/javascript", "<script src='", "'></script>")
      for chain in 0..<pick(0...3) { services("/api/\(number)/\(chain)", from: script, in: document) }
    }
  }

  private func host(of step: Int) -> Int { Self.hosts.firstIndex { made[step].url.hasPrefix($0) } ?? 0 }

  private mutating func leads(from source: Int?, to target: Int) {
    guard let source else { return }
    made[source].status = 302
    made[source].redirect = chance(50) ? made[target].url : String(made[target].url.dropFirst(Self.hosts[host(of: target)].count))
  }

  private mutating func part(
    of document: Int, _ path: String, _ type: String, _ before: String, _ after: String
  ) -> Int {
    let host = pick(0...1)
    let made = step(path, host: host, type, after: [(step: document, isEarly: chance(50))], referer: document)
    let reference = host == 0 ? (chance(50) ? path : String(path.dropFirst())) : self.made[made].url
    self.made[document].body.append(before + reference + after)
    return made
  }

  /// Calls in a row: each is named by the script, by the answer before, or by nothing.
  private mutating func services(_ path: String, from script: Int, in document: Int) {
    var previous: Int?
    for call in 0..<pick(1...3) {
      let place = "\(path)/\(call)"
      let host = chance(70) ? 0 : 2
      guard let before = previous else {
        previous = step(
          place + "?n=1", host: host, "application/json", after: [(step: script, isEarly: false)], referer: document)
        made[script].body.append("fetch('\(host == 0 ? "" : Self.hosts[2])\(place)?n=' + n)")
        continue
      }
      let next = step(place, host: host, "application/json", after: [(step: before, isEarly: false)], referer: document)
      if chance(40) {
        made[before].body.append("{\"next\": \"\((made[next].url).replacing("/", with: "\\/"))\"}")
      } else {
        made[next].hidden = [before]
        if chance(60) {
          made[script].body.append("get(\"\(host == 0 ? place : made[next].url)\")")
          made[next].parents.append((step: script, isEarly: false))
        }
      }
      previous = next
    }
  }

  /// A program that calls one service after the other, sometimes several at a time.
  private mutating func command() {
    var last: [Int] = []
    for round in 0..<pick(3...8) {
      let parents = last.map { (step: $0, isEarly: false) }
      last = (0..<(chance(70) ? 1 : pick(2...4))).map { step("/v1/\(round)/\($0)", host: 2, "application/json", after: parents) }
      for next in last { made[next].hidden = Set(parents.map(\.step)) }
      if let source = parents.first?.step, let only = last.first, last.count == 1, parents.count == 1, chance(30) {
        made[source].body.append("{\"href\":\"/v1/\(round)/0\"}")
        made[only].hidden = []
      }
    }
  }

  // MARK: Time

  /// Each step in the order in which the client wants it; connections are taken in that order.
  func happen(_ steps: [GeneratedRun.Step], without removed: Int?) -> [GeneratedRun.Happened] {
    var happened = [GeneratedRun.Happened?](repeating: nil, count: steps.count)
    var pools: [String: [(free: Int, last: Int, id: Int)]] = [:]
    var connections = 0
    for _ in steps {
      let open = steps.indices.filter { index in
        happened[index] == nil && steps[index].parents.allSatisfy { happened[$0.step] != nil }
      }
      let wanted = open.map { index in
        let released = steps[index].parents.map { parent in
          happened[parent.step].map { parent.isEarly ? $0.firstByte : $0.end } ?? 0
        }
        return (index: index, at: (released.max() ?? 0) + (steps[index].parents.isEmpty ? 0 : steps[index].think))
      }
      guard let (index, at) = wanted.min(by: { ($0.at, $0.index) < ($1.at, $1.index) }) else { break }
      let step = steps[index]
      var times = GeneratedRun.Happened(wanted: at, ready: at, firstByte: at, end: at)
      if index != removed {
        let host = String(step.url.prefix { $0 != "?" }.split(separator: "/").prefix(2).joined(separator: "/"))
        var pool = pools[host, default: []]
        var place = pool.firstIndex { $0.free <= at || isMultiplexed }
        if place == nil, pool.count >= connectionLimit {
          place = pool.indices.min { pool[$0].free < pool[$1].free }
          if let place {
            times.ready = pool[place].free + 20_000
            times.previous = pool[place].last
          }
        }
        if place == nil {
          times.connect = connectTime
          connections += 1
          pool.append((free: 0, last: index, id: connections))
          place = pool.count - 1
        }
        times.firstByte = times.ready + times.connect + step.wait
        times.end = times.firstByte + step.receive
        if let place {
          times.connection = pool[place].id
          pool[place] = (free: times.end, last: index, id: pool[place].id)
        }
        pools[host] = pool
      }
      happened[index] = times
    }
    return happened.compactMap(\.self)
  }
}

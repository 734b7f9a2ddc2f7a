internal import TapelineHAR

/// An exchange that a rule fails for.
package struct Offender: Sendable, Hashable {
  /// Something of the exchange that the rule looks at.
  package struct Fact: Sendable, Hashable {
    package let name: String
    package let text: String
  }

  /// The place of the exchange in its file, from 1.
  package let number: Int
  package let method: String
  package let url: String
  package let status: Int
  package let facts: [Fact]

  init(_ entry: HAREntry, number: Int, facts: [Fact]) {
    self.number = number
    method = entry.request.method
    url = entry.request.url
    status = entry.response.status
    self.facts = facts
  }
}

/// The few exchanges that a rule names, out of all that it fails for.
struct OffenderList: Sendable {
  /// The exchanges to name.
  enum Ranking: Hashable, Sendable {
    case first
    case largest
    case smallest
  }

  private var ranked: [(rank: Double, offender: Offender)] = []
  /// The number of all offenders.
  private(set) var count = 0
  /// The same for each page, by the page's title, else its id.
  private(set) var pages: [String: OffenderList] = [:]
  private let limit: Int
  private let ranking: Ranking

  init(limit: Int, ranking: Ranking = .first) {
    self.limit = limit
    self.ranking = ranking
  }

  var offenders: [Offender] { ranked.map(\.offender) }

  /// - Parameter facts: called only if the exchange is one of those to name.
  mutating func add(_ entry: HAREntry, number: Int, rank: Double = 0, facts: () -> [Offender.Fact]) {
    var made: [Offender.Fact]?
    func once() -> [Offender.Fact] {
      let known = made ?? facts()
      made = known
      return known
    }
    name(entry, number: number, rank: rank, once)
    guard let page = entry.page, pages[page] != nil || pages.count < PageCensus.limit else { return }
    pages[page, default: OffenderList(limit: limit, ranking: ranking)].name(entry, number: number, rank: rank, once)
  }

  private mutating func name(_ entry: HAREntry, number: Int, rank: Double, _ facts: () -> [Offender.Fact]) {
    count += 1
    let index = ranked.firstIndex { precedes(rank, $0.rank) } ?? ranked.endIndex
    guard index < limit else { return }
    ranked.insert((rank, Offender(entry, number: number, facts: facts())), at: index)
    if ranked.count > limit { ranked.removeLast() }
  }

  private func precedes(_ left: Double, _ right: Double) -> Bool {
    switch ranking {
    case .first: false
    case .largest: left > right
    case .smallest: left < right
    }
  }
}

extension QueryExpression {
  /// The facts of an exchange that the condition looks at: why the condition holds or does not.
  func facts(of entry: HAREntry, number: Int) -> [Offender.Fact] {
    var named: Set<QueryField> = []
    return fields.filter { $0.isWorthNaming && named.insert($0).inserted }.map { $0.fact(in: entry, number: number) }
  }
}

extension QueryField {
  /// False for fields that every offender line already shows, and for bodies, which are long.
  fileprivate var isWorthNaming: Bool {
    switch source {
    case .named, .custom, .member, .serverTime: true
    case .known(.number), .known(.method), .known(.url), .known(.scheme), .known(.host), .known(.port), .known(.origin),
      .known(.path), .known(.requestBody), .known(.responseBody):
      false
    case .known: true
    }
  }

  func fact(in entry: HAREntry, number: Int) -> Offender.Fact {
    Offender.Fact(name: spelling, text: text(of: value(in: entry, number: number)))
  }

  /// As a rule spells it.
  var spelling: String {
    switch source {
    case .known(let field): field.rawValue
    case .named(let field, let name): "\(field.rawValue)[\"\(name)\"]"
    case .member(let path, _): path.joined(separator: ".")
    case .serverTime(let name): "server." + name
    case .custom(.entry, let path): path.joined(separator: ".")
    case .custom(.request, let path): "req." + path.joined(separator: ".")
    case .custom(.response, let path): "resp." + path.joined(separator: ".")
    case .custom(.content, let path): "content." + path.joined(separator: ".")
    }
  }

  /// Enough for a whole message; longer text keeps only its ends.
  private var textLimit: Int { 200 }

  private func text(of value: QueryValue) -> String {
    switch value {
    case .absent: "-"
    case .number(let number): MeasureText.text(number, dimension)
    case .text(let text), .titled(let text, _), .numbered(let text, _): text.isEmpty ? "\"\"" : text.elided(to: textLimit)
    case .flag(let flag): String(flag)
    case .object: "{…}"
    case .several(let values):
      values.isEmpty ? "-" : values.map { text(of: $0) }.joined(separator: ", ").elided(to: textLimit)
    }
  }
}

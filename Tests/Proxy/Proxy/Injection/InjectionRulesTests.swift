import TapelineHTTP
import TapelineTransport
import Testing

@testable import TapelineProxy

/// The rules of a recording, without exchanges.
@Suite struct InjectionRulesTests {
  private func rules(_ actions: [InjectionAction], _ share: InjectionShare = .all, seed: UInt64 = 1) -> InjectionRules {
    InjectionRules(
      actions.map { InjectionRule(query: "*", text: "\($0)", action: $0, share: share) }, seed: seed
    ) { _ in Array(actions.indices) }
  }

  private let subject = InjectionSubject(method: "GET", url: "http://a.example/", host: "a.example", port: 80)

  private func pattern(_ share: InjectionShare, seed: UInt64 = 1, count: Int = 10) -> [Bool] {
    let rules = rules([.reset], share, seed: seed)
    return (0..<count).map { _ in rules.plan(for: subject) != nil }
  }

  @Test("The first so many, or each so many")
  func shares() {
    #expect(pattern(.first(2), count: 4) == [true, true, false, false])
    #expect(pattern(.every(3), count: 7) == [false, false, true, false, false, true, false])
  }

  @Test("A share of 10,000 exchanges is the same in each run with a seed, and of its size")
  func seeds() {
    let first = pattern(.fraction(0.05), count: 10_000)
    #expect(first == pattern(.fraction(0.05), count: 10_000))
    #expect(first == pattern(.fraction(0.05), count: 10_000))
    #expect(first != pattern(.fraction(0.05), seed: 2, count: 10_000))
    // The interval of 99 % for 10,000 draws.
    #expect((444...557).contains(first.count { $0 }))
  }

  @Test("All that match act in their order, up to one that ends the exchange")
  func order() throws {
    let rules = rules([
      .delay(.around(.milliseconds(10), spread: .zero)), .delay(.around(.milliseconds(5), spread: .zero)), .reset, .timeout,
    ])
    let plan = try #require(rules.plan(for: subject))
    #expect(plan.steps.count == 3 && plan.delay == .milliseconds(15))
    #expect(plan.ending?.number == 3)
    #expect(rules.standings.map(\.matched) == [1, 1, 1, 1] && rules.standings.map(\.applied) == [1, 1, 1, 0])
  }

  @Test("A delay stays within its spread, and uses all of it")
  func spread() {
    let rules = rules([.delay(.around(.milliseconds(20), spread: .milliseconds(10)))])
    let delays = (0..<1_000).compactMap { _ in rules.plan(for: subject)?.delay }
    #expect(delays.allSatisfy { $0 >= .milliseconds(10) && $0 <= .milliseconds(30) })
    #expect(delays.contains { $0 < .milliseconds(11) } && delays.contains { $0 > .milliseconds(29) })
  }

  @Test("10,000 log-normal delays have the percentiles that were asked for, with any seed", arguments: [UInt64](1...5))
  func lognormal(seed: UInt64) throws {
    let action = InjectionAction.delay(.lognormal(p50: .milliseconds(80), p99: .seconds(1)))
    func delays(_ count: Int) -> [Duration] {
      let rules = rules([action], seed: seed)
      return (0..<count).compactMap { _ in rules.plan(for: subject)?.delay }
    }
    let drawn = delays(10_000)
    #expect(drawn == delays(10_000), "the same seed draws the same")
    let sorted = drawn.sorted()
    // The quartiles, too: 80 ms, times and by 12.5 to the power of 0.6745 by 2.3263.
    let asked: [(place: Int, milliseconds: Double)] = [(2_499, 38.46), (4_999, 80), (7_499, 166.4), (9_899, 1_000)]
    for (place, milliseconds) in asked {
      let ratio: Double = sorted[place] / (Duration.milliseconds(1) * milliseconds)
      #expect(abs(ratio - 1) < 0.05, "\(sorted[place])")
    }
    // Few draws have them as well: in each hundred, one is above the 99th.
    for hundred in 0..<100 { #expect(drawn[hundred * 100..<hundred * 100 + 100].count { $0 > .seconds(1) } == 1) }
    #expect(Set(drawn).count > 9_990 && drawn != drawn.sorted())
  }

  @Test("Rules that follow others go on with the counts of those that are in both")
  func following() {
    let before = rules([.reset, .timeout], .first(2))
    for _ in 0..<2 { _ = before.plan(for: subject) }
    let turned = before.rules.reversed() + rules([.close]).rules
    let reversed = InjectionRules(turned, seed: 1, following: before) { _ in [0, 1, 2] }
    #expect(reversed.standings.map(\.matched) == [2, 2, 0])
    #expect(reversed.plan(for: subject)?.ending?.number == 3)
  }

  @Test("A rule that is off does and counts nothing, until it is on again, also among rules that follow")
  func off() {
    let rules = rules([.reset, .timeout])
    rules.turn([0], off: true)
    #expect(rules.plan(for: subject)?.ending?.number == 2)
    let following = InjectionRules(rules.rules, seed: 1, following: rules) { _ in [0, 1] }
    #expect(following.plan(for: subject)?.ending?.number == 2)
    following.turn([0], off: false)
    #expect(following.plan(for: subject)?.ending?.number == 1)
    #expect(following.standings.map(\.matched) == [1, 3] && following.standings.map(\.applied) == [1, 2])
  }

  @Test("Connections go to their own place while the rule that maps it is off")
  func placement() {
    let (place, target) = (Route(host: "a.example", port: 80), Route(host: "::1", port: 8080))
    let rules = rules([.map(place, to: target)])
    #expect(rules.placement(of: place)?.port == 8080)
    rules.turn([0], off: true)
    #expect(rules.placement(of: place) == nil)
  }

  @Test("What cannot be done to an exchange does not count")
  func concerns() {
    var answer = InjectedAnswer(status: 200)
    answer.grpc = GRPCStatus(name: "UNAVAILABLE")
    let rules = rules([.answer(answer), .map(Route(host: "b.example", port: 80), to: Route(host: "::1", port: 80))])
    #expect(rules.plan(for: subject) == nil)
    #expect(rules.standings.allSatisfy { $0.matched == 0 })
    let call = InjectionSubject(
      method: "POST", url: "http://a.example/S/M", fields: ["Content-Type": "application/grpc+proto"])
    #expect(rules.plan(for: call)?.ending != nil)
  }
}

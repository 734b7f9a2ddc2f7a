@testable import TapelineLoop
import TapelineTLS
import TapelineTime
import Testing

@testable import TapelineProxy

/// The rows of the table in docs/interception.md, with time moved by hand.
@Suite("Which clients refuse us, and which do not")
struct ClientTrustTests {
  private static let alert = ClientTrust.Refusal.alert("unknown_ca")

  private func second(_ number: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + number * 1_000_000_000)
  }

  /// One of the programs of this machine, all with the same hello.
  private func program(_ name: String, _ arguments: [String] = []) -> TLSClient {
    TLSClient(
      source: source(),
      program: .known(
        ClientProgram(
          executable: "/usr/bin/\(name)", arguments: [name] + arguments, environment: [], trustVariables: [])))
  }

  private func source(_ address: String = "127.0.0.1") -> TLSClient.Source {
    TLSClient.Source(address: address, fingerprint: HelloFingerprint())
  }

  private func elsewhere(_ address: String) -> TLSClient {
    TLSClient(source: source(address), program: .hidden)
  }

  private var unknown: TLSClient { TLSClient(source: source(), program: .notLookedFor) }

  @Test("A first refusal is only noted, and said once per host", arguments: [alert, .silence])
  func first(refusal: ClientTrust.Refusal) {
    let trust = ClientTrust()
    #expect(trust.noteRefusal(refusal, by: program("curl"), of: "h", at: second(0)) == .noted(isNews: true))
    #expect(trust.verdict(on: program("curl"), for: "h", at: second(1)) == nil)
    #expect(trust.noteRefusal(refusal, by: program("wget"), of: "h", at: second(1)) == .noted(isNews: false))
    #expect(trust.noteRefusal(refusal, by: program("wget"), of: "i", at: second(1)) == .noted(isNews: true))
    #expect(trust.verdicts(at: second(2)).isEmpty)
  }

  @Test("A second refusal by the same client within a minute is a verdict on it, and on nobody else, there and nowhere else")
  func pinned() {
    let trust = ClientTrust()
    _ = trust.noteRefusal(.silence, by: program("pinned"), of: "h", at: second(0))
    #expect(trust.noteRefusal(Self.alert, by: program("pinned"), of: "h", at: second(59)) == .passedThrough(isNews: true))
    let verdict = trust.verdict(on: program("pinned"), for: "h", at: second(60))
    #expect(verdict?.refusal == Self.alert)
    #expect(verdict?.since == second(59))
    #expect(trust.verdict(on: program("curl"), for: "h", at: second(60)) == nil)
    #expect(trust.verdict(on: program("pinned"), for: "i", at: second(60)) == nil)
    #expect(
      trust.noteRefusal(.silence, by: program("pinned"), of: "h", at: second(61)) == .passedThrough(isNews: false), "under way")
  }

  @Test("Two refusals that are a minute apart are two first ones")
  func apart() {
    let trust = ClientTrust()
    for minute in Int64(0)...3 {
      #expect(trust.noteRefusal(Self.alert, by: program("curl"), of: "h", at: second(minute * 60)) == .noted(isNews: minute == 0))
    }
  }

  @Test("Where trust was handed over, the first refusal is the verdict, of that client alone")
  func handedOver() {
    let trust = ClientTrust()
    let refusing = program("curl", ["--cacert", "own.pem", "https://h/a"])
    #expect(trust.noteRefusal(Self.alert, by: refusing, of: "h", at: second(0), suffices: true) == .passedThrough(isNews: true))
    let again = program("curl", ["--cacert", "own.pem", "https://h/b"])
    #expect(trust.verdict(on: again, for: "h", at: second(1)) != nil, "its next process, for another page")
    #expect(
      trust.verdict(on: program("curl", ["https://h/a"]), for: "h", at: second(1)) == nil, "the same program that trusts us")
  }

  @Test("A browser's first refusals, of connections in parallel, are one, and no verdict even where trust was handed over")
  func browser() {
    let trust = ClientTrust()
    let chromium = program("chromium")
    #expect(trust.noteRefusal(Self.alert, by: chromium, of: "h", at: second(0), suffices: true) == .noted(isNews: true))
    for _ in 0..<5 {
      #expect(trust.noteRefusal(Self.alert, by: chromium, of: "h", at: second(2), suffices: true) == .noted(isNews: false))
    }
    #expect(trust.noteRefusal(Self.alert, by: chromium, of: "i", at: second(2), suffices: true) == .noted(isNews: true))
    #expect(trust.noteRefusal(Self.alert, by: chromium, of: "h", at: second(30), suffices: true) == .passedThrough(isNews: true))
    trust.noteAcceptance(by: chromium, of: "i")
    #expect(trust.noteRefusal(Self.alert, by: chromium, of: "i", at: second(31), suffices: true) == .notBelieved)
  }

  @Test("Where trust was handed over, the silence of a hidden program is no verdict until it comes twice; its alert is one")
  func hiddenSilence() {
    let trust = ClientTrust()
    let client = elsewhere("192.0.2.1")
    #expect(trust.noteRefusal(.silence, by: client, of: "h", at: second(0), suffices: true) == .noted(isNews: true))
    #expect(trust.verdict(on: client, for: "h", at: second(1)) == nil)
    #expect(trust.noteRefusal(.silence, by: client, of: "h", at: second(61), suffices: true) == .noted(isNews: false))
    #expect(trust.noteRefusal(.silence, by: client, of: "h", at: second(62), suffices: true) == .passedThrough(isNews: true))
    #expect(trust.noteRefusal(Self.alert, by: client, of: "i", at: second(63), suffices: true) == .passedThrough(isNews: true))
    let known = program("pinned")
    #expect(trust.noteRefusal(.silence, by: known, of: "h", at: second(64), suffices: true) == .passedThrough(isNews: true))
  }

  @Test("Who has accepted us for a host is not suspected there", arguments: [alert, .silence])
  func accepted(refusal: ClientTrust.Refusal) {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("curl"), of: "h")
    for number in Int64(0)...3 {
      #expect(trust.noteRefusal(refusal, by: program("curl"), of: "h", at: second(number), suffices: true) == .notBelieved)
    }
    #expect(trust.noteRefusal(refusal, by: program("curl"), of: "i", at: second(4)) == .noted(isNews: true), "another host")
    #expect(trust.noteRefusal(refusal, by: program("wget"), of: "h", at: second(4)) == .noted(isNews: true), "another client")
  }

  @Test("Accepting us undoes a suspicion, and a verdict")
  func reformed() {
    let trust = ClientTrust()
    _ = trust.noteRefusal(Self.alert, by: program("curl"), of: "h", at: second(0))
    trust.noteAcceptance(by: program("curl"), of: "h")
    #expect(trust.noteRefusal(Self.alert, by: program("curl"), of: "h", at: second(1)) == .notBelieved)
    _ = trust.noteRefusal(Self.alert, by: program("wget"), of: "h", at: second(1), suffices: true)
    trust.noteAcceptance(by: program("wget"), of: "h")
    #expect(trust.verdict(on: program("wget"), for: "h", at: second(2)) == nil)
  }

  @Test("A verdict ends after ten minutes, and is said once")
  func expiry() {
    let trust = ClientTrust()
    _ = trust.noteRefusal(Self.alert, by: program("p"), of: "h", at: second(0), suffices: true)
    #expect(trust.verdict(on: program("p"), for: "h", at: second(599)) != nil)
    #expect(trust.verdict(on: program("p"), for: "h", at: second(600)) == nil)
    #expect(trust.verdicts(at: second(600)).isEmpty)
    #expect(trust.noteRefusal(Self.alert, by: program("p"), of: "h", at: second(601)) == .noted(isNews: true))
    #expect(trust.noteRefusal(Self.alert, by: program("p"), of: "h", at: second(602)) == .passedThrough(isNews: false))
  }

  @Test("A client of another machine is its address and its hello")
  func elsewhere() {
    let trust = ClientTrust()
    _ = trust.noteRefusal(Self.alert, by: elsewhere("192.0.2.1"), of: "h", at: second(0))
    #expect(trust.noteRefusal(Self.alert, by: elsewhere("192.0.2.2"), of: "h", at: second(1)) == .noted(isNews: false))
    #expect(trust.noteRefusal(Self.alert, by: elsewhere("192.0.2.1"), of: "h", at: second(2)) == .passedThrough(isNews: true))
    #expect(trust.verdict(on: elsewhere("192.0.2.1"), for: "h", at: second(3)) != nil)
    #expect(trust.verdict(on: elsewhere("192.0.2.2"), for: "h", at: second(3)) == nil)
    trust.noteAcceptance(by: elsewhere("192.0.2.3"), of: "h")
    let unasked = TLSClient(source: source("192.0.2.3"), program: .notLookedFor)
    #expect(trust.noteRefusal(Self.alert, by: unasked, of: "h", at: second(4)) == .notBelieved)
  }

  @Test("Nobody is looked for where all with this hello accept us, until one refuses; then for a minute")
  func lookingUp() {
    let trust = ClientTrust()
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(0)))
    trust.noteAcceptance(by: program("curl"), of: "h")
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(1)))
    #expect(trust.wantsProgram(of: source(), for: "i", at: second(1)))
    #expect(trust.wantsProgram(of: source("192.0.2.1"), for: "h", at: second(1)))
    #expect(trust.noteRefusal(Self.alert, by: unknown, of: "h", at: second(2)) == .noted(isNews: true))
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(3)))
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(61)))
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(62)))
  }

  @Test("As long as a client is passed through, it is looked for")
  func lookingUpThePinned() {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("curl"), of: "h")
    _ = trust.noteRefusal(Self.alert, by: program("pinned"), of: "h", at: second(0))
    _ = trust.noteRefusal(Self.alert, by: program("pinned"), of: "h", at: second(1))
    _ = trust.noteRefusal(.silence, by: program("wget"), of: "h", at: second(2))
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(600)))
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(601)))
  }

  @Test("A client that has accepted us and gives up a handshake has nobody looked for", arguments: [alert, .silence])
  func givingUp(refusal: ClientTrust.Refusal) {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("browser"), of: "h")
    #expect(trust.noteRefusal(refusal, by: program("browser"), of: "h", at: second(0)) == .notBelieved)
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(0)))
  }

  @Test("A pinned client behind the hello of one that accepts us is let through after two failures all the same")
  func disputed() {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("curl"), of: "h")
    #expect(trust.noteRefusal(Self.alert, by: unknown, of: "h", at: second(0)) == .noted(isNews: true))
    let pinned = program("curl", ["--cacert", "own.pem"])
    #expect(trust.noteRefusal(Self.alert, by: pinned, of: "h", at: second(5)) == .passedThrough(isNews: true))
    #expect(trust.noteRefusal(Self.alert, by: program("curl"), of: "h", at: second(6)) == .notBelieved, "who accepted us")
  }

  @Test("A refusal before somebody accepts us under the same hello is remembered")
  func disputedBefore() {
    let trust = ClientTrust()
    _ = trust.noteRefusal(Self.alert, by: program("p"), of: "h", at: second(0))
    trust.noteAcceptance(by: program("curl"), of: "h")
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(1)), "p may come again")
    #expect(
      trust.noteRefusal(Self.alert, by: program("wget"), of: "h", at: second(2)) == .noted(isNews: false), "p's is not wget's")
    #expect(trust.noteRefusal(Self.alert, by: program("p"), of: "h", at: second(3)) == .passedThrough(isNews: true))
  }

  @Test("Silence of a client that nobody looked for is no refusal, but from then on it is looked")
  func disputedInSilence() {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("curl"), of: "h")
    #expect(trust.noteRefusal(.silence, by: unknown, of: "h", at: second(0)) == .notBelieved)
    #expect(trust.wantsProgram(of: source(), for: "h", at: second(1)))
    #expect(trust.noteRefusal(.silence, by: program("p"), of: "h", at: second(1)) == .noted(isNews: true))
    #expect(trust.noteRefusal(.silence, by: program("p"), of: "h", at: second(2)) == .passedThrough(isNews: true))
  }

  @Test("After silence only so many are looked for, unless somebody refuses us in words", arguments: [alert, .silence])
  func looksAreCounted(second refusal: ClientTrust.Refusal) {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("curl"), of: "h")
    _ = trust.noteRefusal(.silence, by: unknown, of: "h", at: second(0))
    let looks = (0..<ClientTrust.looksAfterSilence).map { _ in trust.wantsProgram(of: source(), for: "h", at: second(1)) }
    #expect(looks.allSatisfy { $0 })
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(1)))

    _ = trust.noteRefusal(refusal, by: unknown, of: "h", at: second(2))
    let more = (0...ClientTrust.looksAfterSilence).map { _ in trust.wantsProgram(of: source(), for: "h", at: second(3)) }
    #expect(more.last == (refusal == Self.alert))
    #expect(more.dropLast().allSatisfy { $0 })
    #expect(!trust.wantsProgram(of: source(), for: "h", at: second(62)))
  }

  @Test("The list has what holds, oldest first; forgetting leaves who accepted us")
  func list() {
    let trust = ClientTrust()
    trust.noteAcceptance(by: program("good"), of: "h")
    _ = trust.noteRefusal(Self.alert, by: program("b"), of: "i", at: second(1), suffices: true)
    _ = trust.noteRefusal(Self.alert, by: program("a"), of: "h", at: second(0), suffices: true)
    _ = trust.noteRefusal(Self.alert, by: program("c"), of: "h", at: second(2))
    #expect(trust.verdicts(at: second(3)).map { TLSClient.name(of: $0.client) } == ["a", "b"])
    trust.forgetRefusals()
    #expect(trust.verdicts(at: second(3)).isEmpty)
    #expect(trust.verdict(on: program("a"), for: "h", at: second(3)) == nil)
    #expect(
      trust.noteRefusal(Self.alert, by: program("c"), of: "h", at: second(4)) == .noted(isNews: true), "as if for the first time")
    #expect(trust.noteRefusal(Self.alert, by: program("good"), of: "h", at: second(4)) == .notBelieved)
  }

  @Test("Memory is bounded: what came first is forgotten first")
  func bounded() {
    let trust = ClientTrust(limit: 2)
    for (number, host) in ["a", "b", "c"].enumerated() {
      _ = trust.noteRefusal(.silence, by: program("p"), of: host, at: second(Int64(number)), suffices: true)
    }
    #expect(trust.verdicts(at: second(9)).map(\.host) == ["b", "c"])
  }

  @Test("The last processes that were clients are known, and are read again when they run another program")
  func recentProcesses() throws {
    let trust = ClientTrust()
    func process(_ id: Int32, _ name: String = "sh", start: Int = 9) throws -> RunningProcess {
      let rest = (0..<17).map(String.init).joined(separator: " ")
      return try #require(RunningProcess(id: id, stat: Array("\(id) (\(name)) S 1 \(rest) \(start) 0".utf8)))
    }
    func program(_ process: RunningProcess, reads: Bool) {
      var count = 0
      let program = trust.program(of: RunningProcess.Holder(process: process, descriptor: 5)) {
        count += 1
        return ClientProgram(executable: $0.name, arguments: [], environment: [], trustVariables: [])
      }
      #expect(program?.name == process.name)
      #expect(count == (reads ? 1 : 0))
    }
    for id in Int32(1)...100 { program(try process(id), reads: true) }
    program(try process(97), reads: false)
    #expect(trust.likelyHolders.map(\.id) == [97, 100, 99, 98, 96, 95, 94, 93])
    program(try process(97, "curl"), reads: true)
    program(try process(97, "curl", start: 10), reads: true)
    #expect(trust.likelyHolders.map(\.id) == [97, 100, 99, 98, 96, 95, 94, 93])
    #expect(trust.program(of: RunningProcess.Holder(process: try process(5), descriptor: 5)) { _ in nil } == nil)
  }

  @Test("A client's next connection is looked for first where its oldest ones were")
  func likelyDescriptors() throws {
    let trust = ClientTrust()
    let rest = (0..<18).map(String.init).joined(separator: " ")
    func note(_ descriptor: Int32, of id: Int32) throws {
      let process = try #require(RunningProcess(id: id, stat: Array("\(id) (wrk) S 1 \(rest) 9 0".utf8)))
      _ = trust.program(of: RunningProcess.Holder(process: process, descriptor: descriptor)) {
        ClientProgram(executable: $0.name, arguments: [], environment: [], trustVariables: [])
      }
    }
    for descriptor in [7, 8, 9, 7] as [Int32] { try note(descriptor, of: 1) }
    #expect(trust.likelyHolders == [RunningProcess.Suspect(id: 1, descriptors: [8, 9, 7])])
    try note(5, of: 2)
    #expect(trust.likelyHolders.map(\.descriptors) == [[5], []])
    try note(8, of: 1)
    #expect(trust.likelyHolders.map(\.descriptors) == [[9, 7, 8], []])
    for descriptor in Int32(100)..<200 { try note(descriptor, of: 1) }
    #expect(trust.likelyHolders[0].descriptors == Array(136..<144), "the last 64, of which the oldest are tried")
  }
}

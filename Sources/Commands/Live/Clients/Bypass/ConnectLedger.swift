internal import TapelineLoop

/// The connections that a command made by itself: its calls of connect(2), against the connections that came about. A call alone
/// says little: servers refuse, and a client tries the addresses of a name one after the other.
struct ConnectLedger {
  private struct Way: Hashable {
    let program: String
    let destination: SocketAddress
  }

  /// In the order of the first calls.
  private var bypasses: [Bypass] = []
  private var places: [Way: Int] = [:]
  /// How often each was called for.
  private var calls: [Int] = []
  private var outcomes: [SocketAddress: Outcomes] = [:]
  /// Whether every outcome is told. Otherwise each call counts.
  var knowsOutcomes = true

  private struct Outcomes {
    var calls = 0
    var made = 0
    var failed = 0
  }

  /// Nobody reads more than this.
  private static let most = 1_000

  /// A call by a program that goes past the proxy.
  mutating func note(_ bypass: Bypass, to destination: SocketAddress) {
    let way = Way(program: bypass.program, destination: destination)
    if let place = places[way] {
      calls[place] += 1
    } else {
      guard bypasses.count < Self.most else { return }
      places[way] = bypasses.count
      bypasses.append(bypass)
      calls.append(1)
    }
    outcomes[destination, default: Outcomes()].calls += 1
  }

  /// A connection to `destination` has come about or has failed. Connections that no call asked for are not the command's.
  mutating func note(connectionTo destination: SocketAddress, cameAbout: Bool) {
    guard var outcome = outcomes[destination] else { return }
    if cameAbout { outcome.made += 1 } else { outcome.failed += 1 }
    outcomes[destination] = outcome
  }

  var isEmpty: Bool { bypasses.isEmpty }

  /// Whether the outcome of each call is known. A call that failed at once leaves none.
  var isSettled: Bool { !knowsOutcomes || outcomes.values.allSatisfy { $0.made + $0.failed >= $0.calls } }

  /// The result. Another program may have connected to the same address: then there are more connections than calls.
  var report: BypassReport {
    var report = BypassReport()
    report.isComplete = true
    var made = outcomes.mapValues(\.made)
    for (bypass, count) in zip(bypasses, calls) {
      guard let destination = bypass.destination else { continue }
      var bypass = bypass
      bypass.connections = knowsOutcomes ? min(count, made[destination] ?? 0) : count
      made[destination]? -= bypass.connections
      if bypass.connections > 0 { report.connections.append(bypass) } else { report.suspects.append(bypass) }
    }
    return report
  }
}

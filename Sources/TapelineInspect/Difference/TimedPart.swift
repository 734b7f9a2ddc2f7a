/// What of an exchange takes time: the whole, or a phase of it.
package enum TimedPart: Hashable, Sendable, CaseIterable {
  case total
  case phase(Phase)

  package static var allCases: [TimedPart] {
    [.total] + Phase.allCases.map(TimedPart.phase)
  }

  package var name: String {
    switch self {
    case .total: "total"
    case .phase(let phase): phase.name
    }
  }

  /// By its name; `nil` when there is none of that name.
  init?(name: String) {
    guard let part = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = part
  }

  /// From 0, without gaps.
  var index: Int {
    switch self {
    case .total: 0
    case .phase(let phase): phase.rawValue + 1
    }
  }
}

/// The part of an exchange that is timed: the whole, or a phase of it.
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

  /// A part by its name; `nil` if no part has that name.
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

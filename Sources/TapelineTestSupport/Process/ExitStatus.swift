internal import TapelineSystem

/// How a program ended.
package enum ExitStatus: Sendable, Hashable {
  case exited(Int32)
  case killed(signal: Int32)

  init(_ end: ProcessEnd) {
    self =
      switch end {
      case .exited(let status): .exited(status)
      case .killed(let signal): .killed(signal: signal)
      }
  }

  package var isSuccess: Bool { self == .exited(0) }
}

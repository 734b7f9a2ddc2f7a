internal import TapelineSystem

/// Why a piece of test equipment could not do what the test asked for.
package enum TestSupportError: Error, Sendable {
  /// A system call failed with this `errno`.
  case system(call: String, code: Int32)
  /// The deadline passed first.
  case timedOut(waitingFor: String)
  /// The peer closed or reset the connection first; the bytes received until then are kept for the failure's text.
  case ended(StreamEnd, waitingFor: String, received: [UInt8])
  /// The peer sent bytes that are not what the test asked for.
  case malformed(String)
  /// A program that the test needs could not be used.
  case program(String)
}

/// How a byte stream ended, as its reader sees it.
package enum StreamEnd: Sendable, Hashable {
  /// The peer closed its sending side normally.
  case closed
  /// The peer, or the kernel for it, sent RST.
  case reset
}

extension TestSupportError {
  /// The same as our own calls have it.
  init(_ error: SystemCallError, _ what: String? = nil) {
    self = .system(call: what ?? error.call.rawValue, code: error.code)
  }
}

extension TestSupportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let call, let code):
      return "\(call): \(SystemCallError.text(of: code)) (errno \(code))"
    case .timedOut(let what):
      return "timed out waiting for \(what)"
    case .ended(let end, let what, let received):
      return
        "\(end) while waiting for \(what); received: \(String(decoding: received.prefix(2048), as: UTF8.self).debugDescription)"
    case .malformed(let what):
      return "malformed: \(what)"
    case .program(let what):
      return what
    }
  }
}

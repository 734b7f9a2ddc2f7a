internal import Glibc
internal import TapelineSystem

extension TestSupportError {
  /// The same as our own calls have it.
  init(_ error: SystemCallError, _ what: String? = nil) {
    self = .system(call: what ?? error.call.rawValue, code: error.code)
  }

  /// The error of a call that has just failed. `errno` is read first: other work may change it.
  static func last(_ call: String) -> TestSupportError {
    let code = errno
    return .system(call: call, code: code)
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

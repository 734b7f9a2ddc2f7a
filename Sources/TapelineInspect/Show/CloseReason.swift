/// The content of a WebSocket close frame (RFC 6455, sections 5.5.1 and 7.4).
struct CloseReason: Hashable, Sendable {
  /// `nil` if the frame has no code; the code is optional.
  let code: Int?
  let reason: String

  /// `nil` if the payload is not valid for a close frame.
  init?(payload: [UInt8]) {
    guard payload.count != 1 else { return nil }
    code = payload.isEmpty ? nil : Int(payload[0]) << 8 | Int(payload[1])
    reason = String(decoding: payload.dropFirst(2), as: UTF8.self)
  }

  /// `1001 Going Away: the server restarts`.
  var text: String {
    guard let code else { return "no code" }
    let name = Self.name(of: code).map { " \($0)" } ?? ""
    return "\(code)\(name)\(reason.isEmpty ? "" : ": \(reason)")"
  }

  static func name(of code: Int) -> String? {
    if let (_, name) = names.first(where: { $0.code == code }) { return name }
    switch code {
    case 3000...3999: return "(of a library)"
    case 4000...4999: return "(of the application)"
    default: return nil
    }
  }

  /// IANA's registry "WebSocket Close Code Number".
  static let names: [(code: Int, name: String)] = [
    (1000, "Normal Closure"), (1001, "Going Away"), (1002, "Protocol Error"), (1003, "Unsupported Data"), (1004, "Reserved"),
    (1005, "No Status Received"), (1006, "Abnormal Closure"), (1007, "Invalid Frame Payload Data"), (1008, "Policy Violation"),
    (1009, "Message Too Big"), (1010, "Mandatory Extension"), (1011, "Internal Error"), (1012, "Service Restart"),
    (1013, "Try Again Later"), (1014, "Bad Gateway"), (1015, "TLS Handshake"), (3000, "Unauthorized"), (3003, "Forbidden"),
    (3008, "Timeout"),
  ]
}

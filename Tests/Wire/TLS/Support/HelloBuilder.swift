/// Writes a hello as a client or server might, well-formed or not.
struct HelloBuilder {
  typealias Extension = (kind: UInt16, content: [UInt8])

  var type: UInt8 = 1
  var legacyVersion: UInt16 = 0x0303
  var random = [UInt8](repeating: 0x5a, count: 32)
  var sessionID: [UInt8] = []
  var cipherSuites: [UInt16] = [0x1301]
  var extensions: [Extension] = []

  static func number(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  static func vector(_ bytes: [UInt8]) -> [UInt8] {
    number(bytes.count) + bytes
  }

  static func serverName(_ name: String) -> Extension {
    (0, vector([0] + vector(Array(name.utf8))))
  }

  static func applicationProtocols(_ names: [[UInt8]]) -> Extension {
    (16, vector(names.flatMap { [UInt8($0.count)] + $0 }))
  }

  static func versions(_ codes: [UInt16]) -> Extension {
    (43, [UInt8(codes.count * 2)] + codes.flatMap { number(Int($0)) })
  }

  static func signatureAlgorithms(_ codes: [UInt16]) -> Extension {
    (13, vector(codes.flatMap { number(Int($0)) }))
  }

  static func groups(_ codes: [UInt16]) -> Extension {
    (10, vector(codes.flatMap { number(Int($0)) }))
  }

  static func selectedVersion(_ code: UInt16) -> Extension {
    (43, number(Int(code)))
  }

  /// The message with its header.
  func message() -> [UInt8] {
    var body = Self.number(Int(legacyVersion)) + random + [UInt8(sessionID.count)] + sessionID
    if type == 1 {
      body += Self.vector(cipherSuites.flatMap { Self.number(Int($0)) }) + [1, 0]
    } else {
      body += Self.number(Int(cipherSuites[0])) + [0]
    }
    if !extensions.isEmpty {
      body += Self.vector(extensions.flatMap { Self.number(Int($0.kind)) + Self.vector($0.content) })
    }
    return [type, 0] + Self.vector(body)
  }

  /// The message in records of at most `size` bytes.
  func records(of size: Int = 16_384) -> [UInt8] {
    let message = message()
    var records: [UInt8] = []
    var position = 0
    while position < message.count {
      let end = min(position + size, message.count)
      records += [22, 3, 1] + Self.vector(Array(message[position..<end]))
      position = end
    }
    return records
  }
}

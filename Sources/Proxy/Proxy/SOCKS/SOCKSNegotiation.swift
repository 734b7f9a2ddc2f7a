package import TapelineCore
internal import TapelineLoop
internal import TapelineBase

/// The beginning of a connection that speaks SOCKS, from its first byte to the destination that the client asks for (RFC 1928 3
/// and 4, RFC 1929 2, SOCKS4 and 4a).
///
/// A value without sockets: it is given the client's bytes, and each step says what to do. It holds what the longest request
/// needs.
package struct SOCKSNegotiation: ~Copyable {
  /// The step that follows from the bytes so far. After `answer` and `admit` there may be another one.
  package enum Step: Equatable {
    /// The client's turn.
    case wait
    /// Send this, and go on.
    case answer([UInt8])
    /// Judge the client's name and password, and say so by `admit` or `turnDown`.
    case judge(SOCKSPassword)
    /// The client wants to be connected.
    case connect(SOCKSDestination)
    /// Answer, and end the connection.
    case refuse(SOCKSRefusal)
  }

  private enum State {
    /// The client lists the methods of authentication that it knows.
    case greeting
    case password
    /// Its name and password are being judged.
    case judging
    case request
    case ended
  }

  private var state = State.greeting
  private var input: [UInt8] = []
  private let asksForPassword: Bool

  /// - Parameter asksForPassword: whether the client has to give a name and a password.
  package init(asksForPassword: Bool) {
    self.asksForPassword = asksForPassword
  }

  /// The version that a connection speaks that begins with `byte`; `nil` for other protocols: no request and no hello begins so.
  static func version(begunBy byte: UInt8) -> SOCKSVersion? {
    switch byte {
    case socks4: .v4
    case socks5: .v5
    default: nil
    }
  }

  private static let socks4: UInt8 = 4
  private static let socks5: UInt8 = 5

  package mutating func receive(_ bytes: Span<UInt8>) {
    input.append(bytes: bytes)
  }

  /// The bytes that follow the request: they are for the destination.
  package mutating func takeRest() -> [UInt8] {
    defer { input = [] }
    return input
  }

  package mutating func next() -> Step {
    switch state {
    case .greeting:
      guard let version = input.first else { return .wait }
      return version == Self.socks4 ? nextOfSOCKS4() : chooseMethod()
    case .password:
      return readPassword()
    case .judging, .ended:
      return .wait
    case .request:
      return readRequest()
    }
  }

  // MARK: SOCKS5

  private enum Method {
    static let none: UInt8 = 0
    static let password: UInt8 = 2
    static let noneAcceptable: UInt8 = 0xFF
  }

  /// RFC 1928 3.
  private mutating func chooseMethod() -> Step {
    guard input.count >= 2, input.count >= 2 + Int(input[1]) else { return .wait }
    let offered = input[2..<2 + Int(input[1])]
    let wanted = asksForPassword ? [Method.password] : [Method.none, Method.password]
    guard let method = wanted.first(where: { offered.contains($0) }) else {
      let fault: SOCKSFault =
        offered.isEmpty ? .malformed("its greeting offers no method") : asksForPassword ? .noPassword : .noMethod
      return refuse(answering: [Self.socks5, Method.noneAcceptable], because: fault)
    }
    input.removeFirst(2 + offered.count)
    state = method == Method.password ? .password : .request
    return .answer([Self.socks5, method])
  }

  private static let passwordVersion: UInt8 = 1

  /// RFC 1929 2: version, length and name, length and password.
  private mutating func readPassword() -> Step {
    guard let version = input.first else { return .wait }
    guard version == Self.passwordVersion else {
      return refuse(
        answering: [Self.passwordVersion, 1], because: .malformed("its name and password begin with \(version), not 1"))
    }
    guard input.count >= 2 else { return .wait }
    let nameEnd = 2 + Int(input[1])
    guard input.count > nameEnd else { return .wait }
    let end = nameEnd + 1 + Int(input[nameEnd])
    guard input.count >= end else { return .wait }
    let pair = SOCKSPassword(bytes: Array(input[2..<nameEnd]) + [UInt8(ascii: ":")] + Array(input[nameEnd + 1..<end]))
    input.removeFirst(end)
    state = .judging
    return .judge(pair)
  }

  /// The name and password are right.
  package mutating func admit() -> Step {
    guard case .judging = state else { preconditionFailure("a password is admitted that was judged") }
    state = .request
    return .answer([Self.passwordVersion, 0])
  }

  /// They are wrong, or were not looked at.
  mutating func turnDown(_ fault: SOCKSFault) -> Step {
    guard case .judging = state else { preconditionFailure("a password is turned down that was judged") }
    return refuse(answering: [Self.passwordVersion, 1], because: fault)
  }

  private enum AddressType {
    static let ipv4: UInt8 = 1
    static let name: UInt8 = 3
    static let ipv6: UInt8 = 4
  }

  private static let connect: UInt8 = 1
  private static let bind: UInt8 = 2
  private static let associate: UInt8 = 3

  /// RFC 1928 4: version, command, a reserved byte, type of address, address, port.
  private mutating func readRequest() -> Step {
    if let version = input.first, version != Self.socks5 {
      return refuse(.generalFailure, .malformed("its request begins with \(version), not 5"))
    }
    guard input.count > 4 else { return .wait }
    guard input[2] == 0 else {
      return refuse(.generalFailure, .malformed("the reserved byte of its request is \(input[2]), not 0"))
    }
    let start = input[3] == AddressType.name ? 5 : 4
    let length: Int
    switch input[3] {
    case AddressType.ipv4: length = 4
    case AddressType.ipv6: length = 16
    case AddressType.name: length = Int(input[4])
    default: return refuse(.addressTypeNotSupported, .malformed("its address has the type \(input[3])"))
    }
    guard input.count >= start + length + 2 else { return .wait }
    guard input[1] == Self.connect else { return refuse(.commandNotSupported, Self.fault(ofCommand: input[1])) }
    let address = Array(input[start..<start + length])
    let host = input[3] == AddressType.name ? Self.name(address) : Self.text(ofAddress: address)
    let port = Self.port(input[(start + length)...])
    guard let host, port > 0 else { return refuse(.generalFailure, .malformed("it asks for no host, or for port 0")) }
    input.removeFirst(start + length + 2)
    state = .ended
    return .connect(SOCKSDestination(version: .v5, host: host, port: port))
  }

  private static func fault(ofCommand command: UInt8) -> SOCKSFault {
    switch command {
    case bind: .unsupported("BIND")
    case associate: .unsupported("UDP ASSOCIATE")
    default: .unsupported("command \(command)")
    }
  }

  // MARK: SOCKS4

  /// The most bytes of a user's name, and of a destination's.
  private static let textLimit = 255

  /// Version, command, port, address, user name, NUL; in 4a, if the address is 0.0.0.x, the destination's name, NUL.
  private mutating func nextOfSOCKS4() -> Step {
    let header = 8
    guard let userEnd = end(ofTextAt: header) else {
      return input.count - header > Self.textLimit ? refuseSOCKS4(.malformed("its user name does not end")) : .wait
    }
    let hasName = input[4] == 0 && input[5] == 0 && input[6] == 0 && input[7] != 0
    var end = userEnd
    var host: String? = Self.text(ofAddress: Array(input[4..<header]))
    if hasName {
      guard let nameEnd = self.end(ofTextAt: userEnd + 1) else {
        return input.count - userEnd > Self.textLimit + 1 ? refuseSOCKS4(.malformed("its host name does not end")) : .wait
      }
      host = Self.name(Array(input[userEnd + 1..<nameEnd]))
      end = nameEnd
    }
    guard input[1] == Self.connect else { return refuseSOCKS4(Self.fault(ofCommand: input[1])) }
    // SOCKS4 has names of users, and no passwords.
    guard !asksForPassword else { return refuseSOCKS4(.noPassword) }
    let port = Self.port(input[2...])
    guard let host, port > 0 else { return refuseSOCKS4(.malformed("it asks for no host, or for port 0")) }
    input.removeFirst(end + 1)
    state = .ended
    return .connect(SOCKSDestination(version: hasName ? .v4a : .v4, host: host, port: port))
  }

  /// The place of the NUL that ends a text; `nil` if it is not here, or too far away.
  private func end(ofTextAt start: Int) -> Int? {
    guard input.count > start else { return nil }
    return input[start...].prefix(Self.textLimit + 1).firstIndex(of: 0)
  }

  // MARK: Values

  private static func port(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    UInt16(bytes[bytes.startIndex]) << 8 | UInt16(bytes[bytes.startIndex + 1])
  }

  /// `nil` if the bytes cannot be a host. Whether they are a name is judged where all names are.
  private static func name(_ bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter bytes: four, or sixteen.
  private static func text(ofAddress bytes: [UInt8]) -> String? {
    if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
    let groups = stride(from: 0, to: bytes.count, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
    return SocketAddress(literal: groups.joined(separator: ":"), port: 0)?.host
  }

  // MARK: Refusals

  private mutating func refuse(_ reply: SOCKSReply, _ fault: SOCKSFault) -> Step {
    refuse(answering: reply.bytes(to: .v5), reply: reply, because: fault)
  }

  private mutating func refuseSOCKS4(_ fault: SOCKSFault) -> Step {
    refuse(answering: SOCKSReply.generalFailure.bytes(to: .v4), reply: .generalFailure, because: fault)
  }

  private mutating func refuse(answering answer: [UInt8], reply: SOCKSReply? = nil, because fault: SOCKSFault) -> Step {
    state = .ended
    input = []
    return .refuse(SOCKSRefusal(answer: answer, reply: reply, fault: fault))
  }
}

/// Where a client wants to be connected to.
package struct SOCKSDestination: Equatable {
  package let version: SOCKSVersion
  /// A name or the text of an address, without brackets.
  package let host: String
  /// Not 0.
  package let port: UInt16
}

/// A client's name and password. Never logged.
package struct SOCKSPassword: Equatable {
  /// `NAME:PASSWORD`.
  let bytes: [UInt8]

  /// In the form in which credentials are judged.
  var authorization: String { "Basic \(Base64.encode(bytes))" }
}

package struct SOCKSRefusal: Equatable {
  package let answer: [UInt8]
  /// The code in the answer, if the answer is to a request.
  let reply: SOCKSReply?
  let fault: SOCKSFault
}

/// Why a client's SOCKS is refused.
package enum SOCKSFault: Equatable {
  /// It breaks the rules; how it does.
  case malformed(String)
  /// It asks for something other than a connection.
  case unsupported(String)
  /// It knows no method of authentication that we know.
  case noMethod
  /// It gives no password where one is needed.
  case noPassword
  case wrongPassword
  case tooManyAttempts
}

internal import TapelineBase

/// Our end of SOCKS5 with an upstream proxy, from the first byte to the answer to our request (RFC 1928 3 to 6, RFC 1929 2).
///
/// A value without sockets: it is given the proxy's bytes, and each step says what to do. The proxy gets the destination's name,
/// and looks it up.
package struct SOCKSHandshake: ~Copyable {
  package enum Step: Equatable {
    /// The proxy's turn.
    case wait
    case send([UInt8])
    /// The destination is connected. The rest of the bytes are its own.
    case open(rest: [UInt8])
    case fail(Failure)
  }

  package enum Failure: Equatable {
    /// It breaks the rules; how it does.
    case malformed(String)
    /// It asks for credentials, and none were given, or for others than a name and a password.
    case noMethod
    case wrongPassword
    /// It did not connect us: the code of its reply (RFC 1928 6).
    case refused(UInt8)
  }

  private enum State {
    case method
    case password
    case reply
    case ended
  }

  private var state = State.method
  private var input: [UInt8] = []
  private let credential: Credential?
  private let request: [UInt8]

  private static let version: UInt8 = 5
  private static let passwordVersion: UInt8 = 1

  private enum Method {
    static let none: UInt8 = 0
    static let password: UInt8 = 2
    static let noneAcceptable: UInt8 = 0xFF
  }

  private enum AddressType {
    static let ipv4: UInt8 = 1
    static let name: UInt8 = 3
    static let ipv6: UInt8 = 4
  }

  /// Fails if the host, or a half of the credential, has more than the 255 bytes for which SOCKS has room.
  ///
  /// - Parameter host: a name or the text of an address, without brackets.
  package init?(host: String, port: UInt16, credential: Credential?) {
    guard let address = Self.address(of: host) else { return nil }
    if let credential, credential.user.utf8.count > 255 || credential.password.utf8.count > 255 { return nil }
    self.credential = credential
    request = [Self.version, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
  }

  private static func address(of host: String) -> [UInt8]? {
    // A zone is an interface of this machine, and means nothing to the proxy.
    if let address = IPAddress(host), address.zone == nil {
      return [address.isIPv6 ? AddressType.ipv6 : AddressType.ipv4] + address.bytes
    }
    let name = Array(host.utf8)
    return name.isEmpty || name.count > 255 ? nil : [AddressType.name, UInt8(name.count)] + name
  }

  /// Our first message: the methods of authentication that we know.
  package var greeting: [UInt8] {
    credential == nil ? [Self.version, 1, Method.none] : [Self.version, 2, Method.none, Method.password]
  }

  package mutating func receive(_ bytes: Span<UInt8>) {
    input.append(bytes: bytes)
  }

  /// After `send` there may be another step.
  package mutating func next() -> Step {
    switch state {
    case .method: return readMethod()
    case .password: return readVerdict()
    case .reply: return readReply()
    case .ended: return .wait
    }
  }

  /// RFC 1928 3.
  private mutating func readMethod() -> Step {
    guard input.first ?? Self.version == Self.version else { return fail(.malformed(Self.strange)) }
    guard input.count >= 2 else { return .wait }
    let method = input[1]
    input.removeFirst(2)
    switch (method, credential) {
    case (Method.none, _):
      state = .reply
      return .send(request)
    case (Method.password, let credential?):
      state = .password
      let (user, password) = (Array(credential.user.utf8), Array(credential.password.utf8))
      return .send([Self.passwordVersion, UInt8(user.count)] + user + [UInt8(password.count)] + password)
    case (_, _):
      return fail(.noMethod)
    }
  }

  private static let strange = "its answer does not begin with 5"

  /// RFC 1929 2.
  private mutating func readVerdict() -> Step {
    guard input.count >= 2 else { return .wait }
    guard input[1] == 0 else { return fail(.wrongPassword) }
    input.removeFirst(2)
    state = .reply
    return .send(request)
  }

  /// RFC 1928 6: version, reply, a reserved byte, type of address, address, port.
  private mutating func readReply() -> Step {
    guard input.count >= 2 else { return .wait }
    guard input[0] == Self.version else { return fail(.malformed(Self.strange)) }
    guard input[1] == 0 else { return fail(.refused(input[1])) }
    guard input.count > 4 else { return .wait }
    let length: Int
    switch input[3] {
    case AddressType.ipv4: length = 4
    case AddressType.ipv6: length = 16
    case AddressType.name: length = 1 + Int(input[4])
    default: return fail(.malformed("its address has the type \(input[3])"))
    }
    guard input.count >= 4 + length + 2 else { return .wait }
    input.removeFirst(4 + length + 2)
    state = .ended
    defer { input = [] }
    return .open(rest: input)
  }

  private mutating func fail(_ failure: Failure) -> Step {
    state = .ended
    input = []
    return .fail(failure)
  }
}

/// The extensions of a hello that interest us (RFC 8446 4.2); of the others only the structure is read.
struct HelloExtensions {
  /// `nil` also for a name that no host has.
  private(set) var serverName: String?
  private var hasServerName = false
  private(set) var applicationProtocols: [ApplicationProtocol] = []
  /// In a ClientHello the offered versions, in a ServerHello the selected one.
  private(set) var versions: [TLSVersion] = []
  private(set) var hasVersions = false
  /// Only for a ClientHello: it has a ticket, in the one or the other form.
  private(set) var hasTicket = false
  /// Only for a ClientHello: it takes tickets of TLS 1.2 (RFC 5077 3.2).
  private(set) var takesTickets = false
  /// Only for a ClientHello: it may be asked for its certificate after the handshake (RFC 8446 4.2.6).
  private(set) var authenticatesLater = false
  /// Only for a ClientHello: what it accepts of a server.
  private(set) var acceptance = HelloAcceptance()
  /// Only for a ClientHello.
  private(set) var fingerprint = HelloFingerprint()

  private enum Kind {
    static let serverName: UInt16 = 0
    static let groups: UInt16 = 10
    static let signatureAlgorithms: UInt16 = 13
    static let applicationProtocols: UInt16 = 16
    static let sessionTicket: UInt16 = 35
    static let preSharedKey: UInt16 = 41
    static let supportedVersions: UInt16 = 43
    static let postHandshakeAuthentication: UInt16 = 49
  }

  /// `nil` if the extensions are malformed. The block may be missing altogether (RFC 5246 7.4.1.2).
  init?(_ bytes: Span<UInt8>, at cursor: inout HelloCursor, of kind: HandshakeMessage.Kind) {
    if cursor.isAtEnd { return }
    guard var block = cursor.vector(bytes), cursor.isAtEnd else { return nil }
    while !block.isAtEnd {
      guard let type = block.number(bytes), var content = block.vector(bytes) else { return nil }
      let isRead =
        switch (type, kind) {
        case (Kind.serverName, .clientHello): readServerName(bytes, &content)
        case (Kind.groups, .clientHello): addGroups(bytes, &content)
        case (Kind.signatureAlgorithms, .clientHello): addSignatureAlgorithms(bytes, &content)
        case (Kind.sessionTicket, .clientHello): noteTicket(content, takesTickets: true)
        case (Kind.preSharedKey, .clientHello): noteTicket(content)
        case (Kind.postHandshakeAuthentication, .clientHello): notePostHandshakeAuthentication()
        case (Kind.applicationProtocols, _): readApplicationProtocols(bytes, &content)
        case (Kind.supportedVersions, .clientHello): readOfferedVersions(bytes, &content)
        case (Kind.supportedVersions, .serverHello): readSelectedVersion(bytes, &content)
        default: true
        }
      guard isRead else { return nil }
      fingerprint.add(type, .supportedExtension)
    }
    for name in applicationProtocols { fingerprint.add(name) }
  }

  /// RFC 5077 3.2: a client without a ticket sends an empty one. RFC 8446 4.2.11: the keys are tickets.
  private mutating func noteTicket(_ content: HelloCursor, takesTickets: Bool = false) -> Bool {
    if !content.isAtEnd { hasTicket = true }
    if takesTickets { self.takesTickets = true }
    return true
  }

  private mutating func notePostHandshakeAuthentication() -> Bool {
    authenticatesLater = true
    return true
  }

  /// RFC 8446 4.2.7. The server decides whether they are well-formed.
  private mutating func addGroups(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    var list = content.vector(bytes)
    while let group = list?.number(bytes) {
      fingerprint.add(group, .group)
      acceptance.add(group: group)
    }
    return true
  }

  /// RFC 8446 4.2.3.
  private mutating func addSignatureAlgorithms(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    var list = content.vector(bytes)
    while let algorithm = list?.number(bytes) { acceptance.add(signatureAlgorithm: algorithm) }
    return true
  }

  /// RFC 6066 3: a list with at most one entry of each type; host name is the only type that was ever defined.
  private mutating func readServerName(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard !hasServerName, var list = content.vector(bytes), content.isAtEnd, list.byte(bytes) == 0,
      let name = list.vector(bytes), list.isAtEnd
    else { return false }
    hasServerName = true
    let letters = name.rest(bytes)
    guard (1...255).contains(letters.count), letters.allSatisfy({ (0x21...0x7e).contains($0) }) else { return true }
    let text = String(decoding: letters, as: UTF8.self).lowercased()
    let host = text.hasSuffix(".") ? String(text.dropLast()) : text
    serverName = host.isEmpty ? nil : host
    return true
  }

  /// RFC 7301 3.1.
  private mutating func readApplicationProtocols(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard applicationProtocols.isEmpty, var list = content.vector(bytes), content.isAtEnd else { return false }
    while !list.isAtEnd {
      guard let name = list.shortVector(bytes), !name.isAtEnd else { return false }
      let letters = name.rest(bytes)
      if letters.count == 2, isGREASE(UInt16(letters[0]) << 8 | UInt16(letters[1])) { continue }
      guard let text = String(validating: letters, as: UTF8.self) else { continue }
      applicationProtocols.append(ApplicationProtocol(name: text))
    }
    return true
  }

  private mutating func readOfferedVersions(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard !hasVersions, var list = content.shortVector(bytes), content.isAtEnd else { return false }
    hasVersions = true
    while !list.isAtEnd {
      guard let code = list.number(bytes) else { return false }
      fingerprint.add(code, .version)
      if let version = TLSVersion(rawValue: code) { versions.append(version) }
    }
    return true
  }

  private mutating func readSelectedVersion(_ bytes: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard !hasVersions, let code = content.number(bytes), content.isAtEnd else { return false }
    hasVersions = true
    if let version = TLSVersion(rawValue: code) { versions.append(version) }
    return true
  }
}

/// A position in a hello, from which the vectors of RFC 8446 3.4 are read. Every read stays within `end`, and is `nil` if too few
/// bytes are left.
struct HelloCursor {
  private var position: Int
  private let end: Int

  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  /// How many bytes are left.
  var count: Int { end - position }

  mutating func byte(_ bytes: Span<UInt8>) -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number(_ bytes: Span<UInt8>) -> UInt16? {
    guard count >= 2 else { return nil }
    defer { position += 2 }
    return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
  }

  mutating func range(ofCount count: Int) -> Range<Int>? {
    guard self.count >= count else { return nil }
    defer { position += count }
    return position..<position + count
  }

  /// A vector after a length of one byte.
  mutating func shortVector(_ bytes: Span<UInt8>) -> HelloCursor? {
    guard let count = byte(bytes), let range = range(ofCount: Int(count)) else { return nil }
    return HelloCursor(range)
  }

  /// A vector after a length of two bytes.
  mutating func vector(_ bytes: Span<UInt8>) -> HelloCursor? {
    guard let count = number(bytes), let range = range(ofCount: Int(count)) else { return nil }
    return HelloCursor(range)
  }

  /// The remaining bytes as an array.
  func rest(_ bytes: Span<UInt8>) -> [UInt8] {
    (position..<end).map { bytes[$0] }
  }
}

/// Values that clients add so that servers do not rely on fixed lists (RFC 8701).
func isGREASE(_ value: UInt16) -> Bool {
  value & 0x0f0f == 0x0a0a && value >> 8 == value & 0xff
}

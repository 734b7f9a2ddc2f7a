/// What the extensions of a hello say of what we look for (RFC 8446 4.2); of the others only the structure is read.
struct HelloExtensions {
  private(set) var serverName: String?
  private(set) var applicationProtocols: [ApplicationProtocol] = []
  /// Of a ClientHello those offered, of a ServerHello the one selected.
  private(set) var versions: [TLSVersion] = []
  private(set) var hasVersions = false
  /// Of a ClientHello.
  private(set) var fingerprint = HelloFingerprint()

  private enum Kind {
    static let serverName: UInt16 = 0
    static let groups: UInt16 = 10
    static let applicationProtocols: UInt16 = 16
    static let supportedVersions: UInt16 = 43
  }

  /// `nil` when they are malformed. The block may be missing altogether (RFC 5246 7.4.1.2).
  init?(_ octets: Span<UInt8>, at cursor: inout HelloCursor, of kind: HandshakeMessage.Kind) {
    if cursor.isAtEnd { return }
    guard var block = cursor.vector(octets), cursor.isAtEnd else { return nil }
    while !block.isAtEnd {
      guard let type = block.number(octets), var content = block.vector(octets) else { return nil }
      let isRead =
        switch (type, kind) {
        case (Kind.serverName, .clientHello): readServerName(octets, &content)
        case (Kind.groups, .clientHello): addGroups(octets, &content)
        case (Kind.applicationProtocols, _): readApplicationProtocols(octets, &content)
        case (Kind.supportedVersions, .clientHello): readOfferedVersions(octets, &content)
        case (Kind.supportedVersions, .serverHello): readSelectedVersion(octets, &content)
        default: true
        }
      guard isRead else { return nil }
      fingerprint.add(type, .supportedExtension)
    }
    for name in applicationProtocols { fingerprint.add(name) }
  }

  /// RFC 8446 4.2.7. Whether they are well-formed is the server's to judge.
  private mutating func addGroups(_ octets: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    var list = content.vector(octets)
    while let group = list?.number(octets) { fingerprint.add(group, .group) }
    return true
  }

  /// RFC 6066 3: a list in which each type stands once, and host names are the only type there ever was.
  private mutating func readServerName(_ octets: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard serverName == nil, var list = content.vector(octets), content.isAtEnd, list.octet(octets) == 0,
      let name = list.vector(octets), list.isAtEnd
    else { return false }
    let letters = name.rest(octets)
    guard (1...255).contains(letters.count), letters.allSatisfy({ (0x21...0x7e).contains($0) }) else { return false }
    let text = String(decoding: letters, as: UTF8.self).lowercased()
    serverName = text.hasSuffix(".") ? String(text.dropLast()) : text
    return true
  }

  /// RFC 7301 3.1.
  private mutating func readApplicationProtocols(_ octets: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard applicationProtocols.isEmpty, var list = content.vector(octets), content.isAtEnd else { return false }
    while !list.isAtEnd {
      guard let name = list.shortVector(octets), !name.isAtEnd else { return false }
      let letters = name.rest(octets)
      if letters.count == 2, isGREASE(UInt16(letters[0]) << 8 | UInt16(letters[1])) { continue }
      let text = String(decoding: letters, as: UTF8.self)
      // What is no text would be longer as one.
      guard text.utf8.count == letters.count else { continue }
      applicationProtocols.append(ApplicationProtocol(name: text))
    }
    return true
  }

  private mutating func readOfferedVersions(_ octets: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard !hasVersions, var list = content.shortVector(octets), content.isAtEnd else { return false }
    hasVersions = true
    while !list.isAtEnd {
      guard let code = list.number(octets) else { return false }
      fingerprint.add(code, .version)
      if let version = TLSVersion(rawValue: code) { versions.append(version) }
    }
    return true
  }

  private mutating func readSelectedVersion(_ octets: Span<UInt8>, _ content: inout HelloCursor) -> Bool {
    guard !hasVersions, let code = content.number(octets), content.isAtEnd else { return false }
    hasVersions = true
    if let version = TLSVersion(rawValue: code) { versions.append(version) }
    return true
  }
}

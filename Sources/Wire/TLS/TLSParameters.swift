internal import TapelineBase

/// The result of a handshake.
package struct TLSParameters: Sendable, Hashable {
  package let version: TLSVersion
  /// The cipher suite's name in IANA's registry.
  package let cipher: String
  package let applicationProtocol: ApplicationProtocol?
  /// The name that the client asked for (RFC 6066 3); never an address.
  package let serverName: String?
  package let isResumed: Bool
  package let verification: Verification
  /// The peer's own certificate.
  package let certificate: CertificateSummary?

  package enum Verification: Sendable, Hashable {
    /// We were the server, and clients need no certificate.
    case notAsked
    case verified
    /// The certificate is invalid, but was accepted because verification was turned off.
    case unverified(CertificateProblem)
  }
}

/// A protocol version by its code on the wire (RFC 8446 4.1.2, 4.2.1). We speak the last two; the others only have names because
/// hellos that pass through a tunnel may offer them.
package enum TLSVersion: UInt16, Sendable, Hashable, Comparable, CustomStringConvertible {
  case ssl30 = 0x0300
  case tls10 = 0x0301
  case tls11 = 0x0302
  case tls12 = 0x0303
  case tls13 = 0x0304

  /// As OpenSSL writes it.
  package var name: String {
    switch self {
    case .ssl30: "SSLv3"
    case .tls10: "TLSv1"
    case .tls11: "TLSv1.1"
    case .tls12: "TLSv1.2"
    case .tls13: "TLSv1.3"
    }
  }

  package var description: String { name }

  package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// The protocol inside the connection, by its name in the registry of application-layer protocol negotiation (RFC 7301 6).
package struct ApplicationProtocol: Sendable, Hashable, CustomStringConvertible {
  /// At most 255 bytes, not empty.
  package let name: String

  package init(name: String) {
    precondition((1...255).contains(name.utf8.count), "an application protocol's name has 1 to 255 bytes (RFC 7301 3.1)")
    self.name = name
  }

  package static let http11 = ApplicationProtocol(name: "http/1.1")
  package static let http2 = ApplicationProtocol(name: "h2")

  package var description: String { name }

  /// A list of names as the extension carries it: each after its length (RFC 7301 3.1).
  static func encode(_ protocols: [ApplicationProtocol]) -> [UInt8] {
    var bytes: [UInt8] = []
    for each in protocols {
      bytes.append(UInt8(each.name.utf8.count))
      bytes.append(contentsOf: each.name.utf8)
    }
    return bytes
  }

  /// The range in `offered` of the first name in `preferred` that both lists contain; `nil` if they share no name. Both are lists
  /// as the extension carries them.
  static func select(_ preferred: Span<UInt8>, from offered: Span<UInt8>) -> Range<Int>? {
    var wanted = 0
    while let wish = name(in: preferred, at: wanted) {
      var position = 0
      while let offer = name(in: offered, at: position) {
        if areEqual(preferred.extracting(wish), offered.extracting(offer)) { return offer }
        position = offer.upperBound
      }
      wanted = wish.upperBound
    }
    return nil
  }

  /// The bytes of the name whose length is at `position`.
  private static func name(in list: Span<UInt8>, at position: Int) -> Range<Int>? {
    guard position < list.count else { return nil }
    let end = position + 1 + Int(list[position])
    return end <= list.count ? position + 1..<end : nil
  }

  private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }
}

/// The server that a client wants to reach. We send a name to the server and check it against the certificate; we only check an
/// address.
enum ServerName: Hashable {
  /// Without the trailing dot of the root.
  case name(String)
  case address(String)

  init(_ text: String) {
    if IPAddress(text) != nil {
      // A scope is valid on this machine only; no certificate contains one.
      self = .address(text.firstIndex(of: "%").map { String(text[..<$0]) } ?? text)
    } else {
      self = .name(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
  }

  var text: String {
    switch self {
    case .name(let text), .address(let text): text
    }
  }
}

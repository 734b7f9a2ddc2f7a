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

internal import COpenSSL

/// Owns one reference to an `SSL_SESSION`.
struct SessionHandle: Sendable {
  private let object: OwnedObject

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) {
    unsafe object = OwnedObject(pointer, free: SSL_SESSION_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  var version: TLSVersion? {
    TLSVersion(rawValue: UInt16(truncatingIfNeeded: unsafe SSL_SESSION_get_protocol_version(pointer)))
  }
}

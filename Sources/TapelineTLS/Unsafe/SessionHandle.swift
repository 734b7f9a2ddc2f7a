internal import COpenSSL

/// Owns one reference to an `SSL_SESSION`.
///
/// Safety: OpenSSL counts the references atomically, and changes a session that has been handed out only under the lock of its
/// context.
@safe
final class SessionHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    unsafe SSL_SESSION_free(pointer)
  }

  var version: TLSVersion? {
    TLSVersion(rawValue: UInt16(truncatingIfNeeded: unsafe SSL_SESSION_get_protocol_version(pointer)))
  }
}

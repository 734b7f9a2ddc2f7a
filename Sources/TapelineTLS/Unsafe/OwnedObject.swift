internal import COpenSSL

/// Owns one reference to an OpenSSL object and releases it.
///
/// Safety: `@unchecked Sendable` because threads may share the objects: certificates, keys and revocation lists never change once
/// they are read; contexts and trust anchors are configured before they are shared; OpenSSL counts the references of all of them
/// atomically and takes its own locks for anything it computes, caches or looks up later. OpenSSL changes sessions only under the
/// lock of their context.
@safe
final class OwnedObject: @unchecked Sendable {
  let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes over the caller's reference, which `free` releases.
  @unsafe
  init(_ pointer: OpaquePointer, free: @convention(c) (OpaquePointer?) -> Void) {
    unsafe self.pointer = unsafe pointer
    unsafe self.free = unsafe free
  }

  deinit {
    unsafe free(pointer)
  }
}

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

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

  /// A session of its own that resumes the same agreement: OpenSSL marks a session as not resumable where a connection by it
  /// fails. `nil`: there is no memory for it.
  var copy: SessionHandle? { unsafe SSL_SESSION_dup(pointer).map { unsafe SessionHandle(owning: $0) } }

  /// Gives the reference away.
  func release() -> OpaquePointer? {
    unsafe SSL_SESSION_up_ref(pointer)
    return unsafe pointer
  }

  /// By which a client without tickets resumes it (RFC 5246 7.4.1.2); empty if it can have a ticket alone.
  var identifier: [UInt8] {
    var count: UInt32 = 0
    let bytes = unsafe SSL_SESSION_get_id(pointer, &count)
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  var version: TLSVersion? {
    TLSVersion(rawValue: UInt16(truncatingIfNeeded: unsafe SSL_SESSION_get_protocol_version(pointer)))
  }
}

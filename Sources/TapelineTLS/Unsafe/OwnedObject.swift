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

/// The output of an `i2d_` function: called once for the size, once for the bytes.
@unsafe
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
  let count = write(nil)
  precondition(count > 0, "OpenSSL encodes whatever it has read or made")
  return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
    var position = buffer.baseAddress
    written = Int(unsafe write(&position))
  }
}

/// The object that a `PEM_read_bio_` function, called with `passwordIsRefused`, finds in `text`; nil if there is no such object.
@unsafe
func readPEM(
  _ text: Span<UInt8>, _ read: (_ source: OpaquePointer) -> OpaquePointer?
) -> OpaquePointer? {
  ErrorStack.clear()
  return unsafe text.withUnsafeBufferPointer { bytes in
    guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
    defer { unsafe BIO_free(source) }
    return unsafe read(source)
  }
}

/// Never asks for a password: OpenSSL's own default would ask on the terminal.
func passwordIsRefused(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  -1
}

/// The places where the linked OpenSSL looks for roots by default.
enum OpenSSLDefaults {
  static var rootFile: String {
    guard let path = unsafe X509_get_default_cert_file() else { return "" }
    return unsafe String(cString: path)
  }
}

internal import COpenSSL

/// The output of an `i2d_` function, which makes its own buffer: to ask for the size first takes as long as to encode.
@unsafe
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8] {
  var start: UnsafeMutablePointer<UInt8>?
  let count = unsafe write(&start)
  precondition(count > 0, "OpenSSL encodes whatever it has read or made")
  defer { unsafe tapeline_openssl_free(start) }
  return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
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

/// A PKCS #12 file with one certificate and no key, for systems that import no other format.
enum PKCS12 {
  /// Rounds of key derivation for the checksum: OpenSSL's own default.
  private static let rounds: Int32 = 2_048

  /// The certificate is public and stays readable. The checksum uses SHA-1, which every reader supports: older Apple and Android
  /// versions support nothing else. With a password that is empty or published, a better checksum would protect nothing more.
  static func file(_ certificate: X509Handle, name: String, password: String) throws(AuthorityError) -> [UInt8] {
    ErrorStack.clear()
    let withoutChecksum: Int32 = -1
    guard
      let file = unsafe PKCS12_create(password, name, nil, certificate.pointer, nil, -1, -1, 0, withoutChecksum, 0)
    else { throw .refused("PKCS #12 file") }
    defer { unsafe PKCS12_free(file) }
    guard unsafe PKCS12_set_mac(file, password, -1, nil, 0, rounds, EVP_sha1()) == 1 else { throw .refused("PKCS #12 file") }
    return unsafe encoded { unsafe i2d_PKCS12(file, $0) }
  }
}

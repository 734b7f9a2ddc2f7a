internal import COpenSSL

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

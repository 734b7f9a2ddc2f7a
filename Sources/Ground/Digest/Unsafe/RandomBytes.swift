internal import COpenSSL

/// Bytes that nobody can guess.
package func randomBytes(_ count: Int) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
    let status = unsafe RAND_bytes(bytes.baseAddress, Int32(count))
    precondition(status == 1, "OpenSSL's random generator failed; nothing may go on without it")
    written = count
  }
}

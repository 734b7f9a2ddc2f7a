internal import Glibc

/// Writes to descriptors, all of it or with an error.
enum FileOutput {
  /// 0, or the error's code.
  static func write(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          written += count
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }
}

internal import Glibc

package func readFile(_ path: String) throws(TestSupportError) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .last("open \(path)") }
  defer { close(descriptor) }
  var contents: [UInt8] = []
  while true {
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
    }
    guard !piece.isEmpty else { return contents }
    contents += piece
  }
}

package func readText(_ path: String) throws(TestSupportError) -> String {
  String(decoding: try readFile(path), as: UTF8.self)
}

package func fileExists(_ path: String) -> Bool {
  unsafe access(path, F_OK) == 0
}

/// The permission bits.
package func fileMode(_ path: String) throws(TestSupportError) -> UInt32 {
  var status = stat()
  guard unsafe stat(path, &status) == 0 else { throw .last("stat \(path)") }
  return status.st_mode & 0o777
}

func writeFile(_ bytes: [UInt8], to path: String, mode: UInt32) throws(TestSupportError) {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw .last("open \(path)") }
  defer { close(descriptor) }
  try writeAll(bytes, to: descriptor, what: path)
}

func writeAll(_ bytes: [UInt8], to descriptor: Int32, what: String) throws(TestSupportError) {
  var written = 0
  while written < bytes.count {
    let status = unsafe bytes.withUnsafeBytes { buffer in
      unsafe write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
    }
    guard status >= 0 else { throw .last("write \(what)") }
    written += status
  }
}

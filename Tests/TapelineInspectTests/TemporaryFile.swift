import Glibc
import Testing

/// A file of its own for each test, removed with it.
final class TemporaryFile {
  let path: String

  init(_ octets: [UInt8]) throws {
    var template = Array("/tmp/tapeline-inspect-XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { name in
      unsafe name.baseAddress.map { unsafe mkstemp($0) } ?? -1
    }
    try #require(descriptor >= 0)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let written = unsafe octets.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    #expect(written == octets.count)
    close(descriptor)
  }

  convenience init(_ text: String) throws {
    try self.init(Array(text.utf8))
  }

  deinit {
    unsafe unlink(path)
  }
}

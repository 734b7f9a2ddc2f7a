internal import Glibc

/// A directory of a test's own, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws(TestSupportError) {
    let parent = environmentVariable("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/tapeline-test-XXXXXX\0".utf8)
    let made = unsafe template.withUnsafeMutableBytes { buffer in
      unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { unsafe mkdtemp($0) } != nil
    }
    guard made else { throw .last("mkdtemp") }
    path = String(decoding: template.dropLast(), as: UTF8.self)
  }

  deinit {
    removeTree(path)
  }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult
  package func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o644) throws(TestSupportError) -> String {
    let path = path(name)
    try writeFile(bytes, to: path, mode: mode)
    return path
  }

  @discardableResult
  package func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws(TestSupportError) -> String {
    try write(Array(text.utf8), to: name, mode: mode)
  }

  package func makeDirectory(_ name: String) throws(TestSupportError) -> String {
    let path = path(name)
    guard unsafe mkdir(path, 0o755) == 0 else { throw .last("mkdir \(path)") }
    return path
  }

  /// A file of `size` bytes that takes no room on the disk: it reads as zeros.
  package func makeSparseFile(_ name: String, size: Int) throws(TestSupportError) -> String {
    let path = try write([UInt8](), to: name)
    guard unsafe truncate(path, size) == 0 else { throw .last("truncate \(path)") }
    return path
  }
}

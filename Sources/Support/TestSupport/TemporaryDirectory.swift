internal import TapelineSystem

/// A test's own directory, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws(TestSupportError) {
    do throws(SystemCallError) {
      path = try Directory.makeTemporary("\(environmentVariable("TMPDIR") ?? "/tmp")/tapeline-test-")
    } catch {
      throw TestSupportError(error)
    }
  }

  deinit {
    Directory.removeTree(path)
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
    do throws(SystemCallError) {
      try Directory.make(path, mode: 0o755)
    } catch {
      throw TestSupportError(error, "mkdir \(path)")
    }
    return path
  }

  /// A file of `size` bytes that takes no space on the disk: it reads as zeros.
  package func makeSparseFile(_ name: String, size: Int) throws(TestSupportError) -> String {
    let path = try write([UInt8](), to: name)
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, .writeOnly)
      defer { SystemCalls.discard(descriptor) }
      try SystemCalls.truncate(descriptor, to: size)
    } catch {
      throw TestSupportError(error, "truncate \(path)")
    }
    return path
  }
}

package func readFile(_ path: String) throws(TestSupportError) -> [UInt8] {
  do throws(SystemCallError) {
    return try WholeFile.read(path, limit: .max)
  } catch {
    throw TestSupportError(error, "read \(path)")
  }
}

package func readText(_ path: String) throws(TestSupportError) -> String {
  String(decoding: try readFile(path), as: UTF8.self)
}

package func fileExists(_ path: String) -> Bool {
  SystemCalls.exists(path)
}

/// The permission bits.
package func fileMode(_ path: String) throws(TestSupportError) -> UInt32 {
  do throws(SystemCallError) {
    return try SystemCalls.status(of: path).permissions & 0o777
  } catch {
    throw TestSupportError(error, "stat \(path)")
  }
}

private func writeFile(_ bytes: [UInt8], to path: String, mode: UInt32) throws(TestSupportError) {
  do throws(SystemCallError) {
    let descriptor = try SystemCalls.open(path, [.writeOnly, .create, .truncate], mode: mode)
    defer { SystemCalls.discard(descriptor) }
    try SystemCalls.writeAll(bytes.span, to: descriptor)
  } catch {
    throw TestSupportError(error, "write \(path)")
  }
}

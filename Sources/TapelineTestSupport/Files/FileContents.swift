internal import TapelineSystem

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

func writeFile(_ bytes: [UInt8], to path: String, mode: UInt32) throws(TestSupportError) {
  do throws(SystemCallError) {
    let descriptor = try SystemCalls.open(path, [.writeOnly, .create, .truncate], mode: mode)
    defer { SystemCalls.discard(descriptor) }
    try SystemCalls.writeAll(bytes.span, to: descriptor)
  } catch {
    throw TestSupportError(error, "write \(path)")
  }
}

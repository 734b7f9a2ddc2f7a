// The C global `environ` is shared mutable state. Nobody in this process calls `setenv`, so reading it is safe at any time.
@unsafe @preconcurrency internal import Glibc

/// The environment with which this process was started.
package enum ProcessEnvironment {
  /// As text, for variables that we read ourselves; bytes that are not UTF-8 are replaced.
  package static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    for entry in entries() {
      guard let separator = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: entry[..<separator], as: UTF8.self)
      variables[name] = String(decoding: entry[(separator + 1)...], as: UTF8.self)
    }
    return variables
  }

  /// Every `NAME=value`, byte for byte; `assignments` replace the variables that they name.
  package static func entries(replacing assignments: [(name: String, value: String)] = []) -> [[UInt8]] {
    let prefixes = assignments.map { Array("\($0.name)=".utf8) }
    var result = inherited().filter { entry in !prefixes.contains { entry.starts(with: $0) } }
    result += assignments.map { Array("\($0.name)=\($0.value)".utf8) }
    return result
  }

  /// One variable; `nil` if it is not set.
  package static func value(of name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  private static func inherited() -> [[UInt8]] {
    var result: [[UInt8]] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      unsafe result.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
      unsafe next += 1
    }
    return result
  }
}

import Glibc
import Testing

@testable import tapeline

/// A directory of its own for a test, removed with it.
final class ScratchDirectory {
  private let root: String

  init() throws {
    var template = Array("/tmp/tapeline-command-XXXXXX".utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { name in
      unsafe name.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
    }
    try #require(isMade)
    root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in (try? names()) ?? [] { unsafe unlink(path(name)) }
    unsafe rmdir(root)
  }

  func path(_ name: String) -> String {
    "\(root)/\(name)"
  }

  /// Writes `in.har` anew and returns its path.
  func write(_ text: String) throws -> String {
    let path = path("in.har")
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let octets = Array(text.utf8)
    #expect(unsafe octets.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) } == octets.count)
    return path
  }

  func read(_ path: String) throws -> String {
    let descriptor = unsafe open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe octets.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return String(decoding: octets.prefix(max(count, 0)), as: UTF8.self)
  }

  func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    return status.st_mode & 0o777
  }

  func names() throws -> [String] {
    DirectoryNames.of(root).filter { $0 != "." && $0 != ".." }.sorted()
  }
}

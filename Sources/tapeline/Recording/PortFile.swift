internal import CTapeline
internal import Glibc

/// The file that tells scripts where the proxy listens: one `HOST:PORT` per line.
enum PortFile {
  /// Writes the file whole or not at all: whoever waits for it to appear never reads half of it. Anything that is there and is
  /// no regular file (a FIFO, a terminal, `/dev/fd/3`) is written into instead.
  static func write(_ endpoints: [EndpointArgument], to path: String) throws(CommandFailure) {
    let text = endpoints.map { "\($0)\n" }.joined()
    let cause = isReplaceable(path) ? replace(path, with: text) : fill(path, with: text, flags: O_WRONLY)
    guard cause == 0 else {
      throw CommandFailure(
        status: .cannotCreate, what: "--port-file \(path)", why: systemErrorText(cause), remedy: "name a file that can be written"
      )
    }
  }

  private static func isReplaceable(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  private static func replace(_ path: String, with text: String) -> Int32 {
    let draft = "\(path).\(getpid())"
    let cause = fill(draft, with: text, flags: O_WRONLY | O_CREAT | O_EXCL)
    guard cause == 0 else { return cause }
    guard unsafe rename(draft, path) != 0 else { return 0 }
    let renaming = errno
    _ = unsafe unlink(draft)
    return renaming
  }

  private static func fill(_ path: String, with text: String, flags: Int32) -> Int32 {
    let descriptor = unsafe tapeline_open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return -descriptor }
    let writing = writeAll(Array(text.utf8), to: descriptor)
    let closing = -tapeline_close(descriptor)
    return writing != 0 ? writing : closing
  }

  /// The first address in such a file.
  static func read(_ path: String) throws(CommandFailure) -> EndpointArgument {
    var octets: [UInt8] = []
    let cause = readStart(of: path, into: &octets)
    guard cause == 0 else {
      throw CommandFailure(
        status: .unavailable, what: "--port-file \(path)", why: systemErrorText(cause),
        remedy: "start tapeline record --port-file \(path) first")
    }
    let line = String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard let endpoint = EndpointArgument(argument: line) else {
      throw CommandFailure(
        status: .badInput, what: "--port-file \(path)", why: "its first line is no HOST:PORT",
        remedy: "name the file that tapeline record --port-file wrote")
    }
    return endpoint
  }

  private static func readStart(of path: String, into octets: inout [UInt8]) -> Int32 {
    let descriptor = unsafe tapeline_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return -descriptor }
    defer { _ = tapeline_close(descriptor) }
    octets = [UInt8](repeating: 0, count: 256)
    let count = unsafe octets.withUnsafeMutableBytes { unsafe tapeline_read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { return Int32(-count) }
    octets.removeSubrange(count...)
    return 0
  }
}

internal import CTapeline
internal import Glibc

/// Secrets in a file's first line, so that they do not stand on the command line, where every user of this machine can read them.
enum SecretFile {
  private static let longest = 4_096

  /// Refuses a file of ours that others can read, as ssh does: what is in it is no secret. Pipes and what others have made for us
  /// (`/dev/fd/3`, secrets that a system mounts) have rules of their own.
  static func firstLine(of path: String, for option: String) throws(CommandFailure) -> String {
    let what = "\(option) @\(path)"
    let descriptor = unsafe tapeline_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { throw unreadable(what, FileError(code: -descriptor)) }
    defer { _ = tapeline_close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(what, FileError(code: errno)) }
    let isOurs = status.st_mode & S_IFMT == S_IFREG && status.st_uid == getuid()
    guard !isOurs || status.st_mode & 0o077 == 0 else {
      throw CommandFailure(
        status: .badInput, what: what, why: "others may use it (mode \(String(status.st_mode & 0o777, radix: 8)))",
        remedy: "chmod 600 \(path)")
    }
    do throws(FileError) {
      let bytes = try WholeFile.read(descriptor, limit: longest)
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    } catch {
      throw unreadable(what, error)
    }
  }

  private static func unreadable(_ what: String, _ error: FileError) -> CommandFailure {
    CommandFailure(
      status: .badInput, what: what, why: error.description, remedy: "name a file that can be read, with one line")
  }
}

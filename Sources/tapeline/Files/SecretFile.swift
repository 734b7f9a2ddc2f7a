internal import TapelineSystem

/// Secrets in a file's first line, so that they are not on the command line, where every user of this machine can read them.
enum SecretFile {
  private static let longest = 4_096

  /// Refuses a file of ours that others can read, as ssh does: its contents are not secret. Pipes and files that others have made
  /// for us (`/dev/fd/3`, secrets that a system mounts) have rules of their own.
  static func firstLine(of path: String, for option: String) throws(CommandFailure) -> String {
    let what = "\(option) @\(path)"
    let status: FileStatus
    let isOurs: Bool
    let bytes: [UInt8]
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path)
      defer { SystemCalls.discard(descriptor) }
      status = try SystemCalls.status(of: descriptor)
      isOurs = status.kind == .regular && status.owner == CurrentUser.id
      bytes = isOurs && status.isOpenToOthers ? [] : try WholeFile.read(descriptor, limit: longest)
    } catch {
      throw CommandFailure(
        status: .badInput, what: what, why: error.text, remedy: "name a file that can be read, with one line")
    }
    guard !isOurs || !status.isOpenToOthers else {
      throw CommandFailure(
        status: .badInput, what: what, why: "others may use it (mode \(String(status.permissions & 0o777, radix: 8)))",
        remedy: "chmod 600 \(path)")
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }
}

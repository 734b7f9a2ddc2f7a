internal import TapelineDigest
package import TapelineHAR
internal import TapelineSystem
internal import TapelineBase

/// Puts the bodies that a log keeps in files beside it (`_file`, `--bodies-dir`) back into its entries.
///
/// A log may come from anybody: a file is used only if its name is a digest of its content: the SHA-256 as in our logs, or the
/// SHA-1 and an extension as in Playwright's.
package struct BodyFiles: Sendable {
  /// With a slash at its end.
  private let directory: String
  /// Whether the files are in `directory` itself, whatever path the log gives.
  private let isGathered: Bool
  /// The archive that the log is in, and its files with it.
  private let archive: ZipArchive?

  /// A larger file counts as missing.
  private static let largestSize = 1 << 30

  /// - Parameters:
  ///   - path: the log; paths in the log are relative to its directory.
  ///   - directory: the directory of the bodies; `nil` for the paths in the log.
  package init(besideHAR path: String, directory: String? = nil) {
    isGathered = directory != nil
    archive = directory == nil ? ZipArchive(path: path) : nil
    if let directory {
      self.directory = directory.hasSuffix("/") ? directory : directory + "/"
    } else {
      self.directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
  }

  /// Puts the bodies of an entry into it, as a log without `--bodies-dir` has them. A missing file keeps its `_file` member.
  ///
  /// - Returns: how many files are missing or have changed.
  @discardableResult
  package func bringIn(_ entry: inout HAREntry) -> Int {
    var missing = 0
    if var data = entry.request.postData, let name = data.custom[.file]?.string {
      if let body = body(name) {
        data.custom[.file] = nil
        (data.text, data.unreadText) = (body.text, 0)
        data.custom[.encoding] = body.isText ? nil : "base64"
        entry.request.postData = data
      } else {
        missing += 1
      }
    }
    guard let name = entry.response.content.custom[.file]?.string else { return missing }
    guard let body = body(name) else { return missing + 1 }
    entry.response.content.custom[.file] = nil
    (entry.response.content.text, entry.response.content.unreadText) = (body.text, 0)
    entry.response.content.encoding = body.isText ? nil : "base64"
    return missing
  }

  private func body(_ reference: String) -> (text: String, isText: Bool)? {
    guard let bytes = read(reference) else { return nil }
    // The recorder has converted text to UTF-8.
    if !bytes.contains(0), !bytes.span.isBulkyInJSON, let text = String(validating: bytes, as: UTF8.self) {
      return (text, true)
    }
    return (Base64.encode(bytes), false)
  }

  private func read(_ reference: String) -> [UInt8]? {
    let name = reference.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let stem = name.prefix { $0 != "." }.lowercased()
    guard let digest = Self.digest(ofLength: stem.utf8.count), !reference.hasPrefix("/"),
      let bytes = archive.map({ $0[reference] }) ?? Self.contents(of: directory + (isGathered ? name : reference))
    else { return nil }
    return digest.hexadecimal(of: bytes.span) == stem ? bytes : nil
  }

  /// - Parameter count: hexadecimal digits.
  private static func digest(ofLength count: Int) -> MessageDigest? {
    switch count {
    case 40: .sha1
    case 64: .sha256
    default: nil
    }
  }

  private static func contents(of path: String) -> [UInt8]? {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, [.noFollow, .nonBlocking])
      defer { SystemCalls.discard(descriptor) }
      guard try SystemCalls.status(of: descriptor).kind == .regular else { return nil }
      return try WholeFile.read(descriptor, limit: largestSize)
    } catch {
      return nil
    }
  }
}

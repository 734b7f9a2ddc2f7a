internal import Glibc
package import TapelineHAR

/// The bodies that a log has beside it: brought into entries to be redacted, and put into files again.
package struct BodyFiles {
  private let directory: String
  private let store: BodyStore?

  private static let largestSize = 1 << 30

  /// - Parameters:
  ///   - path: the log that is read.
  ///   - output: the log that is made.
  ///   - newDirectory: where the redacted bodies go; `nil` leaves them in the entries.
  package init(besideHAR path: String, output: String, newDirectory: String?) throws(RecorderError) {
    directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    if let newDirectory {
      store = try BodyStore(directory: newDirectory, besideHAR: output, syncs: false)
    } else {
      store = nil
    }
  }

  /// Brings the bodies of an entry into it; returns how many files there are not.
  package func bringIn(_ entry: inout HAREntry) -> Int {
    var missing = 0
    if entry.request.postData != nil, let name = entry.request.postData?.custom["_file"]?.string {
      entry.request.postData?.custom["_file"] = nil
      if let octets = read(name) {
        let (text, isText) = Self.text(of: octets, MediaType(entry.request.postData?.mimeType ?? ""))
        entry.request.postData?.text = text
        entry.request.postData?.custom["_encoding"] = isText ? nil : "base64"
      } else {
        missing += 1
      }
    }
    guard let name = entry.response.content.custom["_file"]?.string else { return missing }
    entry.response.content.custom["_file"] = nil
    guard let octets = read(name) else { return missing + 1 }
    let (text, isText) = Self.text(of: octets, MediaType(entry.response.content.mimeType))
    entry.response.content.text = text
    entry.response.content.encoding = isText ? nil : "base64"
    return missing
  }

  /// Puts the bodies of an entry into files, if they are to be there.
  package func putOut(_ entry: inout HAREntry) throws(RecorderError) {
    guard let store else { return }
    if let data = entry.request.postData, let text = data.text, !text.isEmpty {
      let octets = Self.octets(of: text, isBase64: data.custom["_encoding"] == "base64")
      entry.request.postData?.custom["_file"] = .string(try store.store(octets.span))
      entry.request.postData?.custom["_encoding"] = nil
      entry.request.postData?.text = ""
    }
    let content = entry.response.content
    guard let text = content.text, !text.isEmpty else { return }
    let octets = Self.octets(of: text, isBase64: content.encoding == "base64")
    entry.response.content.custom["_file"] = .string(try store.store(octets.span))
    entry.response.content.encoding = nil
    entry.response.content.text = nil
  }

  /// A log may be anybody's: no file is taken into another that is not named by what it holds, as ours are.
  private func read(_ reference: String) -> [UInt8]? {
    let name = reference.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    guard name.utf8.count == 64, !reference.hasPrefix("/"), let octets = Self.contents(of: directory + reference) else {
      return nil
    }
    return SHA256.hash(octets.span).hexadecimal == name ? octets : nil
  }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largestSize else {
      return nil
    }
    var octets = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < octets.count {
      let count = unsafe octets.withUnsafeMutableBytes { room in
        unsafe Glibc.read(descriptor, room.baseAddress.map { unsafe $0 + filled }, room.count - filled)
      }
      guard count > 0 else { return nil }
      filled += count
    }
    return octets
  }

  private static func text(of octets: [UInt8], _ media: MediaType) -> (text: String, isText: Bool) {
    if media.isText || media.isMultipart, !octets.span.isBulkyInJSON, let text = String(validating: octets, as: UTF8.self) {
      return (text, true)
    }
    return (Base64.encode(octets.span), false)
  }

  private static func octets(of text: String, isBase64: Bool) -> [UInt8] {
    let octets = Array(text.utf8)
    return isBase64 ? Base64.decode(octets.span) ?? octets : octets
  }
}

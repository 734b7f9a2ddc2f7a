package import TapelineHAR
internal import TapelineBase

/// Puts the bodies of redacted entries into files again, if wanted.
package struct RedactedBodies {
  private let store: BodyStore?

  /// - Parameters:
  ///   - output: the log to be written.
  ///   - directory: the directory for the bodies; `nil` leaves them in the entries.
  package init(besideHAR output: String, directory: String?) throws(RecorderError) {
    if let directory {
      store = try BodyStore(directory: directory, besideHAR: output, syncs: false)
    } else {
      store = nil
    }
  }

  /// Puts the bodies of an entry into files, if wanted. If the entry still names a file, nobody has searched that file for
  /// secrets: the name is removed.
  package func putOut(_ entry: inout HAREntry) throws(RecorderError) {
    entry.request.postData?.custom[.file] = nil
    entry.response.content.custom[.file] = nil
    guard let store else { return }
    if let data = entry.request.postData, let text = data.text, !text.isEmpty {
      let bytes = Self.bytes(of: text, isBase64: data.custom[.encoding] == "base64")
      entry.request.postData?.custom[.file] = .string(try store.store(bytes.span))
      entry.request.postData?.custom[.encoding] = nil
      entry.request.postData?.text = ""
    }
    let content = entry.response.content
    guard let text = content.text, !text.isEmpty else { return }
    let bytes = Self.bytes(of: text, isBase64: content.encoding == "base64")
    entry.response.content.custom[.file] = .string(try store.store(bytes.span))
    entry.response.content.encoding = nil
    entry.response.content.text = nil
  }

  private static func bytes(of text: String, isBase64: Bool) -> [UInt8] {
    let bytes = Array(text.utf8)
    return isBase64 ? Base64.decode(bytes.span, padding: .ignored) ?? bytes : bytes
  }
}

package import TapelineHAR

/// The octets of a body as far as a log has them.
package enum RecordedBody: Sendable, Hashable {
  case octets([UInt8])
  /// There was no body.
  case empty
  /// There was one, and the log does not have it.
  case notRecorded(size: Int)
  /// The log says base64 and it is none.
  case damaged

  package init(response: HARResponse) {
    let content = response.content
    self.init(text: content.text, encoding: content.encoding, size: max(content.size, response.bodySize))
  }

  package init(request: HARRequest) {
    self.init(text: request.postData?.text, encoding: request.postData?.custom["_encoding"]?.string, size: request.bodySize)
  }

  private init(text: String?, encoding: String?, size: Int) {
    guard let text, !text.isEmpty else {
      self = size > 0 ? .notRecorded(size: size) : .empty
      return
    }
    guard encoding?.lowercased() == "base64" else {
      self = .octets(Array(text.utf8))
      return
    }
    self = Base64.decode(text).map(RecordedBody.octets) ?? .damaged
  }
}

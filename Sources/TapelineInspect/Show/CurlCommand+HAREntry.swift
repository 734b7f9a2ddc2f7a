package import TapelineHAR

extension CurlCommand {
  /// The command for a recorded request. A tunnel has no request to send again.
  package init(_ entry: HAREntry) throws(CurlRefusal) {
    let request = entry.request
    guard request.method != "CONNECT" else { throw .tunnel }
    self.init(
      method: request.method, url: request.url, httpVersion: request.httpVersion,
      fields: request.headers.map { Field(name: $0.name, value: $0.value) }, body: Body(request.postData))
  }
}

extension CurlCommand.Body {
  fileprivate init(_ data: HARPostData?) {
    guard let text = data?.text, !text.isEmpty else {
      self = .none
      return
    }
    self = data?.custom["_encoding"]?.string?.lowercased() == "base64" ? .base64(text) : .text(text)
  }
}

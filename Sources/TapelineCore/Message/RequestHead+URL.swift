package import TapelineHTTP
internal import TapelineText

extension RequestHead {
  /// The target as a person writes it: without credentials and fragment, and absolute if the connection implies the origin.
  package func urlText(implied: ImpliedOrigin? = nil) -> String {
    switch (target, implied) {
    case (.authority(let host, let port), _): Authority.text(host: host, port: port)
    // The host in the request is only the client's claim; where the connection leads is known.
    case (.absolute, let implied?), (.origin, let implied?), (.asterisk, let implied?):
      "\(implied.scheme.text)://\(implied.authority)\(originForm)"
    case (.absolute(let absolute), nil): absolute.sanitizedText
    case (.origin, nil), (.asterisk, nil): targetText
    }
  }

  /// Path and query, as they go to the origin.
  var originFormText: String {
    var bytes: [UInt8] = []
    appendOriginForm(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path and query; nothing for `*`, which is not a path.
  private var originForm: String {
    if case .asterisk = target { return "" }
    // It is also `*` for OPTIONS without a path.
    return originFormText == "*" ? "" : originFormText
  }
}

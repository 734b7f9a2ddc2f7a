package import TapelineHTTP
internal import TapelineText

extension RequestHead {
  /// What was asked for, as a person writes it: the target without credentials and fragment, made absolute where the connection says how.
  package func urlText(implied: ImpliedOrigin? = nil) -> String {
    switch (target, implied) {
    case (.authority(let host, let port), _): Authority.text(host: host, port: port)
    // What the request says of its host is the client's claim; where the connection leads is known.
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

  /// The path and query; nothing for `*`, which is no path.
  private var originForm: String {
    if case .asterisk = target { return "" }
    // Of OPTIONS without a path it is `*`, too.
    return originFormText == "*" ? "" : originFormText
  }
}

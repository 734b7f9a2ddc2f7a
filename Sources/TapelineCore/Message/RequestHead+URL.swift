package import TapelineHTTP

extension RequestHead {
  /// What was asked for, as a person writes it: the target without credentials and fragment, made absolute where the connection says how.
  package func urlText(implied: ImpliedOrigin? = nil) -> String {
    switch target {
    case .absolute(let absolute): absolute.sanitizedText
    case .authority(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .origin, .asterisk:
      if let implied {
        "\(implied.scheme.text)://\(fields.first(of: .host) ?? implied.authority)\(originForm)"
      } else {
        targetText
      }
    }
  }

  /// The path and query; nothing for `*`, which is no path.
  private var originForm: String {
    guard case .origin = target else { return "" }
    var octets: [UInt8] = []
    appendOriginForm(into: &octets)
    return String(decoding: octets, as: UTF8.self)
  }
}

package import TapelineHTTP

extension RequestHead {
  /// What was asked for, as a person writes it: the target without credentials and fragment.
  package var urlText: String {
    switch target {
    case .absolute(let absolute): absolute.sanitizedText
    case .authority(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .origin, .asterisk: targetText
    }
  }
}

extension String {
  /// Whether this host's name, in lower case, is `localhost` or below: the loopback, wherever it is looked up (RFC 6761 6.3).
  package var isLocalhostName: Bool { self == "localhost" || hasSuffix(".localhost") }
}

internal import TapelineText

/// The environment variables that tell programs about a proxy.
struct ProxyEnvironment {
  /// In the order in which they are printed.
  let assignments: [(name: String, value: String)]
  /// The proxy's URL in the variables.
  let url: String

  /// Both spellings: some programs read one, some the other, and curl takes only the lower-case `http_proxy`. WebSocket clients
  /// in Python look for their own schemes; gRPC knows only the lower-case names.
  private static let proxyNames = [
    "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "WS_PROXY", "ws_proxy", "WSS_PROXY",
    "wss_proxy", "grpc_proxy",
  ]
  private static let exceptionNames = ["NO_PROXY", "no_proxy", "no_grpc_proxy"]

  /// Tells our own helpers, such as the Node.js script, which proxy is ours.
  static let ownName = "TAPELINE_PROXY"

  /// For programs that should use the proxy at `endpoint` instead of the proxy in `current`.
  ///
  /// Exceptions in `current` stay, except those for this machine: a recorder that does not see the local servers would
  /// miss what it is most often asked to watch.
  ///
  /// - Parameter credentials: the credentials that the proxy asks for, if it does.
  init(endpoint: EndpointArgument, credentials: CredentialPair? = nil, current: [String: String]) {
    let url = "http://\(credentials.map { "\($0.userInformation)@" } ?? "")\(endpoint.reachable)"
    let exceptions = Self.exceptionNames.compactMap { name in
      current[name].map { (name: name, value: Self.withoutLoopback($0)) }
    }
    self.url = url
    assignments = Self.proxyNames.map { ($0, url) } + exceptions + [(Self.ownName, url)]
  }

  /// A `NO_PROXY` list without the entries that mean this machine or everything.
  static func withoutLoopback(_ list: String) -> String {
    let entries = list.split { $0 == "," || $0 == " " }
    return entries.filter { !isLoopback($0) }.joined(separator: ",")
  }

  private static func isLoopback(_ entry: Substring) -> Bool {
    let host = entry.lowercased().drop { $0 == "." || $0 == "[" }
    switch host.prefix(while: { $0 != "]" && $0 != "/" }) {
    case "*", "::1", "0:0:0:0:0:0:0:1": return true
    default: break
    }
    let name = host.prefix { $0 != ":" && $0 != "/" }
    return name == "localhost" || name == "*.localhost" || isLoopbackIPv4(name)
  }

  /// Whether this is an address in 127.0.0.0/8, whole or as the prefix that some programs allow.
  private static func isLoopbackIPv4(_ name: Substring) -> Bool {
    name.hasPrefix("127.")
      && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || Byte.isDigit($0) }
  }
}

package import TapelineOffline
internal import TapelineTLS
internal import TapelineBase

/// All the variables of a program whose traffic is to be recorded: the same for the child of `run` and the shell of `env`.
package struct CaptureEnvironment {
  package let assignments: [(name: String, value: String)]

  /// Those whose value means the same in a container that has the bundle of authorities at the same path.
  package var assignmentsForContainers: [(name: String, value: String)] {
    let ours = [
      NodeEnvironment.variable, JavaEnvironment.variable, CallingShell.controlName, TrustEnvironment.wgetName,
      TrustEnvironment.phpName,
    ]
    return assignments.filter { !ours.contains($0.name) }
  }

  /// - Parameters:
  ///   - usesSOCKS: whether programs that ask for any proxy get SOCKS instead of HTTP.
  ///   - credentials: the credentials that the proxy asks for, if it does. Java programs do not get them: Java would print them.
  ///   - trust: absent where HTTPS is not decrypted.
  ///   - nodeScript: the script that Node.js programs load first; absent where there is no place for it.
  ///   - current: the variables as they are without us.
  package init(
    endpoint: Endpoint, credentials: CredentialPair? = nil, controlPath: String?, trust: TrustMaterial?,
    nodeScript: NodeScript?, usesSOCKS: Bool = false, current: [String: String]
  ) {
    var assignments = ProxyEnvironment(
      endpoint: endpoint, credentials: credentials, usesSOCKS: usesSOCKS, current: current
    ).assignments
    if let trust { assignments += TrustEnvironment(files: trust.files).assignments }
    assignments.append((name: ChromiumFlags.variable, value: ChromiumFlags(endpoint: endpoint, keyPin: trust?.keyPin).text))
    // From version 24 on (22.21), Node.js honours the other variables if this one is set; the script does the rest.
    assignments.append((name: "NODE_USE_ENV_PROXY", value: "1"))
    if let nodeScript {
      let options = NodeEnvironment.options(script: nodeScript, inherited: current[NodeEnvironment.variable])
      assignments.append((name: NodeEnvironment.variable, value: options))
    }
    if JavaInstallation(environment: current) != nil {
      let options = JavaEnvironment.options(
        endpoint: endpoint, trustStore: trust?.javaStore, inherited: current[JavaEnvironment.variable])
      assignments.append((name: JavaEnvironment.variable, value: options))
    }
    if let controlPath { assignments.append((name: CallingShell.controlName, value: controlPath)) }
    self.assignments = assignments
  }
}

/// The variables of a command in a network of its own: it is told whom to trust, and of no proxy.
package struct NetworkEnvironment {
  package let assignments: [(name: String, value: String)]
  /// The names of variables that name a proxy: the command goes past it, and we do not.
  package let removed = ProxyEnvironment.names

  /// The parameters are those of `CaptureEnvironment`.
  package init(controlPath: String?, trust: TrustMaterial?, current: [String: String]) {
    var assignments: [(name: String, value: String)] = []
    if let trust { assignments += TrustEnvironment(files: trust.files).assignments }
    if let store = trust?.javaStore {
      let options = JavaEnvironment.options(endpoint: nil, trustStore: store, inherited: current[JavaEnvironment.variable])
      assignments.append((name: JavaEnvironment.variable, value: options))
    }
    if let controlPath { assignments.append((name: CallingShell.controlName, value: controlPath)) }
    self.assignments = assignments
  }
}

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
  /// Those for every protocol. SOCKS is not their usual value: some programs fail at once if they cannot speak it.
  private static let generalNames: Set<String> = ["ALL_PROXY", "all_proxy"]
  private static let exceptionNames = ["NO_PROXY", "no_proxy", "no_grpc_proxy"]

  /// All that the initializer may set.
  static var names: [String] { proxyNames + exceptionNames + [ownName] }

  /// Tells our own helpers, such as the Node.js script, which proxy is ours.
  static let ownName = "TAPELINE_PROXY"

  /// For programs that should use the proxy at `endpoint` instead of the proxy in `current`.
  ///
  /// Exceptions in `current` stay, except those for this machine: a recorder that does not see the local servers would
  /// miss what it is most often asked to watch.
  ///
  /// - Parameters:
  ///   - credentials: the credentials that the proxy asks for, if it does.
  ///   - usesSOCKS: whether the variables for every protocol name SOCKS, and leave names to the proxy.
  init(endpoint: Endpoint, credentials: CredentialPair? = nil, usesSOCKS: Bool = false, current: [String: String]) {
    let place = "\(credentials.map { "\($0.userInformation)@" } ?? "")\(endpoint.reachable)"
    let url = "http://\(place)"
    let exceptions = Self.exceptionNames.compactMap { name in
      current[name].map { (name: name, value: Self.withoutLoopback($0)) }
    }
    self.url = url
    let general = usesSOCKS ? "socks5h://\(place)" : url
    assignments =
      Self.proxyNames.map { ($0, Self.generalNames.contains($0) ? general : url) } + exceptions + [(Self.ownName, url)]
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

/// The environment variables that name, for programs, a file with the authorities to trust.
package struct TrustEnvironment {
  /// In the order in which they are printed.
  package let assignments: [(name: String, value: String)]

  /// OpenSSL and all built on it, curl, Python's requests, Node.js, git, cargo, the AWS tools, pip, Deno, Perl, Nix, gRPC.
  private static let bundleNames = [
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE", "PIP_CERT", "DENO_CERT", "PERL_LWP_SSL_CA_FILE", "NIX_SSL_CERT_FILE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
  ]

  static let wgetName = "WGETRC"
  static let phpName = "PHP_INI_SCAN_DIR"

  /// All variables that say whom to trust.
  package static let names = Set(bundleNames + [wgetName, phpName, "JAVA_TOOL_OPTIONS"])

  init(files: TrustFiles) {
    assignments =
      Self.bundleNames.map { ($0, files.bundle) } + [(Self.wgetName, files.wgetrc)]
      + (files.phpDirectories.map { [(Self.phpName, $0)] } ?? [])
  }

  /// The files that these variables name already: their authorities must stay trusted.
  package static func files(in environment: [String: String]) -> [String] {
    var seen: Set<String> = [""]
    return bundleNames.compactMap { environment[$0] }.filter { seen.insert($0).inserted }
  }
}

/// The environment variables that name, for programs, a file with the authorities to trust.
struct TrustEnvironment {
  /// In the order in which they are printed.
  let assignments: [(name: String, value: String)]

  /// OpenSSL and all built on it, curl, Python's requests, Node.js, git, cargo, the AWS tools, pip, Deno, Perl, Nix, gRPC.
  private static let bundleNames = [
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE", "PIP_CERT", "DENO_CERT", "PERL_LWP_SSL_CA_FILE", "NIX_SSL_CERT_FILE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
  ]

  /// All variables that say whom to trust.
  static let names = Set(bundleNames + ["WGETRC", "JAVA_TOOL_OPTIONS"])

  init(files: TrustFiles) {
    assignments = Self.bundleNames.map { ($0, files.bundle) } + [("WGETRC", files.wgetrc)]
  }

  /// The files that these variables name already: their authorities must stay trusted.
  static func files(in environment: [String: String]) -> [String] {
    var seen: Set<String> = [""]
    return bundleNames.compactMap { environment[$0] }.filter { seen.insert($0).inserted }
  }
}

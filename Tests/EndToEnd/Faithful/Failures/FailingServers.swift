import TapelineTestSupport
import Testing

/// Servers that fail, each in its own way, and what their certificates are to be trusted by.
struct FailingServers {
  let authority: TestAuthority
  /// `NAME=URL` for each way.
  let pairs: [String]
  private let process: TestProcess
  private let directory: TemporaryDirectory

  init() throws {
    authority = try TestAuthority()
    let identities = [
      ("good", try authority.issue()), ("expired", try authority.expired()), ("self-signed", try .selfSigned()),
      ("wrong-host", try authority.forAnotherHost()),
    ]
    process = try TestProcess(
      "python3", [Self.fixture("origin.py")] + identities.flatMap { [$0.0, $0.1.certificate, $0.1.key] }, input: nil)
    _ = try process.waitForErrorLine(containing: "end")
    pairs = process.errorText.split(separator: "\n").dropLast().map(String.init)
    directory = try TemporaryDirectory()
    try directory.write("ca_certificate = \(authority.certificate)\n", to: "wgetrc")
  }

  /// The variables by which clients trust the servers' authority without tapeline.
  var trust: [String: String] {
    let names = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, authority.certificate) } + [("WGETRC", directory.path("wgetrc"))])
  }

  /// The pairs of these failures.
  func pairs(of names: [String]) -> [String] {
    pairs.filter { pair in names.contains { pair.hasPrefix("\($0)=") } }
  }

  static func fixture(_ name: String) -> String { "\(repositoryRoot)/Tests/Fixtures/failures/\(name)" }
}

/// A client that asks for all URLs, one after the other, and says what became of each.
enum FailingClient: String, CaseIterable {
  case curl
  case wget
  case requests
  case httpx
  case aiohttp
  case fetch
  case java
  case go

  /// - Parameter directory: for what must be built.
  func command(in directory: TemporaryDirectory) throws -> [String] {
    switch self {
    case .curl, .wget: ["sh", FailingServers.fixture("shell.sh"), rawValue]
    case .requests, .httpx, .aiohttp: [pythonInterpreter(), FailingServers.fixture("python.py"), rawValue]
    case .fetch: ["node", FailingServers.fixture("fetch.js")]
    case .java: ["java", FailingServers.fixture("Fetch.java")]
    case .go: [try GoProgram.build(try readText(FailingServers.fixture("fetch.go")), in: directory)]
    }
  }
}

/// What became of each request, by the name of the failure.
struct FailureOutcomes {
  private var words: [String: String] = [:]

  init(_ output: String) {
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      words[String(parts[0])] = parts.count > 1 ? parts[1].split(separator: " ").joined(separator: " ") : ""
    }
  }

  subscript(_ name: String) -> String { words[name] ?? "nothing" }

  var count: Int { words.count }

  /// Whether a program would take the request for one that has succeeded.
  func succeeded(_ name: String) -> Bool { self[name].hasPrefix("exit 0") || Int(self[name]) != nil }
}

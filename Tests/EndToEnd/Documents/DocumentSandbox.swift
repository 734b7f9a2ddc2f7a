import TapelineTestSupport
import Testing

/// A user's directory, in which the commands of documents run as they stand there: it has captures with the names that documents
/// use and programs that they record. A replay of a small capture stands for the internet, as the environment's proxy.
struct DocumentSandbox {
  /// What became of a command.
  struct Result {
    let status: Int
    let output: String
  }

  private let directory: TemporaryDirectory
  private let internet: TestProcess
  private let environment: [String: String]

  init() throws {
    directory = try TemporaryDirectory()
    let authority = directory.path("internet")
    internet = try TestProcess(
      TapelineProcess.binary,
      ["replay", try directory.write(Self.sites, to: "internet.har"), "--listen", "127.0.0.1:0", "--ca-dir", authority],
      // Its control socket is not among those that the commands find.
      environment: ["XDG_RUNTIME_DIR": try directory.makeDirectory("elsewhere")])
    let address = try internet.waitForErrorLine(containing: "listening on 127.0.0.1:")
      .split(separator: " ").first { $0.hasPrefix("127.0.0.1:") }?.filter { $0 != "," }
    let proxy = "http://\(try #require(address))"
    environment = [
      "HOME": directory.path, "XDG_DATA_HOME": directory.path(".local/share"), "XDG_RUNTIME_DIR": directory.path("run"),
      "TAPELINE_TESTED": try TapelineProcess.binary, "INTERNET": proxy, "PYTHON": pythonInterpreter(),
      "PATH": "\(directory.path("bin")):\(environmentVariable("PATH") ?? "")", "COLUMNS": "100", "LC_ALL": "C.UTF-8",
      "http_proxy": proxy, "https_proxy": proxy, "no_proxy": "localhost", "SSL_CERT_FILE": "\(authority)/ca.pem",
      "CURL_CA_BUNDLE": "\(authority)/ca.pem", "GITHUB_STEP_SUMMARY": directory.path("summary"),
    ]
    try furnish()
  }

  private func furnish() throws {
    for name in ["bin", "scripts", "run", "captures/monday", "captures/tuesday", ".zfunc", "ci"] + Self.completions {
      try TestProcess("mkdir", ["-p", directory.path(name)]).wait()
    }
    for path in ["bin/tapeline", "scripts/tapeline"] { _ = try directory.write(Self.tapeline, to: path, mode: 0o755) }
    for name in Self.programs { _ = try directory.write(Self.program, to: name, mode: 0o755) }
    _ = try directory.write(Self.duckdb, to: "bin/duckdb", mode: 0o755)
    for (name, fixture) in Self.captures {
      _ = try directory.write(readFile("\(repositoryRoot)/Tests/Fixtures/\(fixture)"), to: name)
    }
    for (name, isAfter) in [("before.har", false), ("after.har", true)] {
      _ = try directory.write(ComparedCaptures.har(isAfter: isAfter), to: name)
    }
    _ = try directory.write("count() > 0\n", to: "ci/rules.txt")
    _ = try directory.write("header X-Internal\n", to: "our-rules.txt")
    _ = try directory.write(environment["INTERNET"] ?? "", to: ".proxy", mode: 0o600)
    let made =
      "curl -sv --trace-time http://example.com/ -o page.html 2>trace.txt && tapeline convert 'captures/**/*.har' --to rows -o fleet.ndjson"
    #expect(try run([DocumentedCommand(place: "the sandbox", text: made)])[0].status == 0)
  }

  /// Runs commands one after the other in one shell.
  func run(_ commands: [DocumentedCommand]) throws -> [Result] {
    var script = "cd '\(directory.path)'; trap 'test -e .pids && kill $(cat .pids); rm -f .pids' EXIT\n"
    for (index, command) in commands.enumerated() {
      let text = Self.replacements.reduce(command.text) { $0.replacing($1.key, with: $1.value) }
      script += "{ \(text)\n} >out.\(index) 2>&1 </dev/null; echo $? >status.\(index)\n"
    }
    let shell = try TestProcess("bash", ["-c", script], environment: environment)
    try shell.wait(seconds: 120)
    return try commands.indices.map { index in
      let status = try readText(directory.path("status.\(index)"))
      return Result(
        status: try #require(Int(status.filter(\.isNumber))), output: try readText(directory.path("out.\(index)")))
    }
  }

  // MARK: What there is

  /// Ports and places that documents name and a test cannot have.
  private static let replacements = [
    "/run/user/1000": "run", "/home/me": "$PWD", "tapeline record &": "tapeline record", "127.0.0.1:9000": "127.0.0.1:0",
    "proxy.example:3128": "${INTERNET#http://}",
    "http://localhost:4318": "$INTERNET", "https://collector.example:4318": "$INTERNET",
  ]

  private static let captures = [
    ("session.har", "har/session.har"), ("capture.har", "har/session.har"), ("baseline.har", "har/session.har"),
    ("main.har", "har/session.har"),
    ("branch.har", "har/session.har"), ("production.har", "har/session.har"), ("staging.har", "har/session.har"),
    ("pretty.har", "har/firefox.har"), ("session-001.har", "har/session.har"), ("client.har", "har/chrome.har"),
    ("proxy.har", "har/mitmproxy.har"), ("charles.har", "har/charles.har"), ("chrome.har", "har/chrome.har"),
    ("captures/a.har", "har/session.har"), ("captures/monday/a.har", "har/session.har"),
    ("captures/tuesday/a.har", "har/chrome.har"),
  ]

  private static let completions = [".local/share/bash-completion/completions", ".config/fish/completions"]

  /// Programs that documents record, and those that would do something to this machine.
  private static let programs =
    ["bin/npm", "bin/make", "bin/pip", "bin/git", "bin/xdg-open", "log-in", "log-in.sh", "buy", "one", "two", "job", "checkout"]
    + ["program-that-ignores-proxies"]

  private static let program = "#!/bin/sh\ncurl -s http://example.com/ >/dev/null\n"

  /// DuckDB without its command line, which Debian does not have.
  private static let duckdb = "#!/bin/sh\nexec \"$PYTHON\" -c 'import duckdb, sys; print(duckdb.sql(sys.argv[2]))' \"$@\"\n"

  /// What runs until it is stopped goes to the background, on a port of its own, and returns when it listens.
  private static let tapeline = #"""
    #!/bin/bash
    # Readers have no file yet of the name that they choose.
    case " $* " in
    " import"*" -o "*) set -- "$1" "$2" --force "${@:3}" ;;
    " run"*" -o "* | " record"*" -o "* | " convert"*" -o "* | " merge"*" -o "* | " redact"*" -o "* | " report"*" -o "* | \
      " lint"*" -o "* | " recover"*" -o "* | " replay"*" -o "*) set -- "$1" --force "${@:2}" ;;
    esac
    case " $* " in
    *" -- "* | *" --help "* | *" --send "*) exec "$TAPELINE_TESTED" "$@" ;;
    " record "*) set -- "$@" --upstream-proxy "$INTERNET" ;;
    " replay "*) ;;
    *) exec "$TAPELINE_TESTED" "$@" ;;
    esac
    words=()
    for word; do words+=("${word/#127.0.0.1:8888/127.0.0.1:0}"); done
    [[ " $* " == *" --listen "* ]] || words+=(--listen 127.0.0.1:0)
    news=$(mktemp -u)
    mkfifo "$news"
    exec 3<>"$news"
    "$TAPELINE_TESTED" "${words[@]}" 2> >(
      while read -r line; do
        echo "$line" >&2
        [[ $line == *"listening on"* ]] && echo up >&3
      done
      echo down >&3
    ) >/dev/null &
    echo $! >>.pids
    read -r state <&3
    [[ $state == up ]]
    """#

  /// `example.com`, with and without TLS, over and over.
  private static let sites: String = {
    let entries = ["http://example.com/", "https://example.com/", "http://example.com/repository.git"].map { url in
      """
      {"startedDateTime":"2026-01-01T00:00:00.000Z","time":1,"request":{"method":"GET","url":"\(url)","httpVersion":"HTTP/1.1",\
      "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"OK",\
      "httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":"text/plain"}],"content":{"size":8,\
      "mimeType":"text/plain","text":"example\\n"},"redirectURL":"","headersSize":-1,"bodySize":8},"cache":{},\
      "timings":{"send":0,"wait":1,"receive":0}}
      """
    }
    return #"{"log":{"version":"1.2","creator":{"name":"a test","version":"1"},"entries":["#
      + entries.joined(separator: ",") + "]}}"
  }()
}

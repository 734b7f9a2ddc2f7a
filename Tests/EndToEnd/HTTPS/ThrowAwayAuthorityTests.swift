import Glibc
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `run` needs no home: where no authority can be kept, one that ends with it does.
  @Suite struct ThrowAwayAuthority {
    private let authority: TestAuthority
    private let origin: EventOrigin
    private let directory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      origin = try EventOrigin(identity: authority.issue())
      directory = try TemporaryDirectory()
    }

    /// Where not even root can make a directory.
    private static let noHome = ["HOME": "/dev/null/home", "XDG_DATA_HOME": ""]

    private func arguments(_ script: String, roots: String) -> [String] {
      let url = "https://localhost:\(origin.tlsPort)/secret"
      return ["run", "-o", directory.path("a.har"), "--upstream-ca", roots, "--", "sh", "-ec", script, url]
    }

    private func expectDecryptedExchange(_ run: TestProcess, sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(run.exitStatus == .exited(0), "\(run.errorText)", sourceLocation: sourceLocation)
      let log = try RecordedLog(contentsOf: directory.path("a.har"))
      #expect(violations(in: log) == [], sourceLocation: sourceLocation)
      try expectDecrypted(log.entry("/secret", method: "GET"), sourceLocation: sourceLocation)
      let notes = run.errorText.split(separator: "\n").filter { $0.contains("throw-away") }
      #expect(notes.count == 1, "\(run.errorText)", sourceLocation: sourceLocation)
    }

    @Test("Without a home HTTPS is decrypted, the start says by whose authority, and nothing of it stays")
    func withoutAHome() throws {
      let temporary = try directory.makeDirectory("temporary")
      let script = "curl -sS -o /dev/null $0; cat \"$SSL_CERT_FILE\" >bundle.pem; ls -R \"${WGETRC%/*}\""
      let run = try TestProcess(
        "sh",
        ["-c", "cd \"$0\" && exec \"$@\"", directory.path, try TapelineProcess.binary]
          + arguments(script, roots: authority.certificate),
        environment: Self.noHome.merging(["TMPDIR": temporary]) { $1 })
      try run.wait()
      try expectDecryptedExchange(run)
      #expect(
        run.errorText.contains(
          "tapeline: HTTPS is decrypted with a throw-away authority for this run, because none can be kept (/dev/null/"),
        "\(run.errorText)")
      #expect(
        !run.outputText.contains("ca.key") && run.outputText.contains("ca.pem"), "its key is in memory only: \(run.outputText)")
      let subjects = try TestProcess(
        "sh", ["-c", "openssl storeutl -noout -text -certs \"$0\" | grep Subject:", directory.path("bundle.pem")])
      try subjects.wait()
      #expect(subjects.outputText.contains("tapeline throw-away CA"))
      let rest = try TestProcess("ls", ["-A", temporary])
      try rest.wait()
      #expect(rest.outputText.split(separator: "\n").allSatisfy { $0.hasPrefix("tapeline-\(geteuid())") }, "\(rest.outputText)")
    }

    @Test("So it is for nobody", .enabled(if: geteuid() == 0, "only root can start a program as another user"))
    func nobody() throws {
      let roots = try directory.write(try readFile(authority.certificate), to: "roots.pem")
      #expect(unsafe chown(directory.path, 65_534, 65_534) == 0)
      let run = try TestProcess(
        "setpriv",
        ["--reuid=65534", "--regid=65534", "--clear-groups", try TapelineProcess.binary]
          + arguments("curl -sS -o /dev/null $0", roots: roots),
        environment: ["HOME": "", "XDG_DATA_HOME": "", "XDG_RUNTIME_DIR": "", "TMPDIR": directory.path])
      try run.wait()
      try expectDecryptedExchange(run)
    }

    @Test("A directory that somebody has named, and a recording that others are to trust, need one that is kept")
    func kept() throws {
      let named = try TestProcess(
        TapelineProcess.binary, ["run", "-o", directory.path("a.har"), "--ca-dir", "/dev/null/ca", "--", "true"])
      #expect(try named.wait() == .exited(73), "\(named.errorText)")
      let recorded = try TestProcess(
        TapelineProcess.binary, ["record", "--listen", "127.0.0.1:0", "-o", directory.path("a.har"), "--intercept"],
        environment: Self.noHome)
      #expect(try recorded.wait() == .exited(73), "\(recorded.errorText)")
      #expect(!fileExists(directory.path("a.har")))
    }
  }
}

import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Programs that `tapeline run` starts trust our authority without being told, and their HTTPS is recorded in clear.
  @Suite struct HTTPSTransferTools {
    private let authority: TestAuthority
    private let server: NginxServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("first\n".utf8), as: "first.txt")
      try server.serve(Array("second\n".utf8), as: "second.txt")
    }

    @Test func curl() throws {
      let run = try RunRecording(
        trusting: authority, ["curl", "-sS", server.tlsURL("/first.txt"), server.tlsURL("/second.txt")])
      #expect(run.process.outputText == "first\nsecond\n")
      #expect(run.entries.map(\.url) == [server.tlsURL("/first.txt"), server.tlsURL("/second.txt")], "the tunnel is no entry")
      let (first, second) = (try run.entry("/first.txt"), try run.entry("/second.txt"))
      expectDecrypted(first)
      #expect(first.phase("dns") >= 0, "localhost is a name")
      #expect(first.status == 200)
      #expect(first.contentText == "first\n")
      #expect(first.connection == "\(server.tlsPort)")
      #expect(first.tls?["resumed"]?.bool == false)
      #expect(first.tls?["sni"]?.string == "localhost")
      #expect(first.clientTLS?["version"]?.string == "TLSv1.3")
      expectReused(second)
      #expect(second.connectionID == first.connectionID)
      #expect(second.tls?["version"] == first.tls?["version"], "the connection is described in each of its entries")
    }

    @Test(arguments: [false, true])
    func aClientThatResumesNothingResumesNothingWithTheServer(shares: Bool) throws {
      // Each loop has sessions of its own in the pool that all clients share.
      let options = shares ? ["--threads", "1", "--share-connections"] : []
      let run = try RunRecording(
        trusting: authority, options: options,
        ["sh", "-ec", "curl -sS -o /dev/null $0; curl -sS -H 'Connection: close' -o /dev/null $0; curl -sS -o /dev/null $0"]
          + [server.tlsURL("/first.txt")])
      #expect(run.entries.count == 3)
      let paid = run.entries.filter { $0.phase("ssl") > 0 }
      #expect(shares ? paid.count >= 2 : paid.count == 3, "each curl opens a connection")
      #expect(paid.first?.tls?["resumed"]?.bool == false)
      #expect(paid.dropFirst().allSatisfy { $0.tls?["resumed"]?.bool == shares }, "\(paid.map(\.tls))")
    }

    @Test func wget() throws {
      let run = try RunRecording(trusting: authority, ["wget", "-nv", "-O", "-", server.tlsURL("/first.txt")])
      #expect(run.process.outputText == "first\n")
      expectDecrypted(try run.entry("/first.txt"))
    }

    @Test func pip() throws {
      let directory = try TemporaryDirectory()
      let make = try TestProcess(pythonInterpreter(), ["-c", Self.makingAWheel, server.files])
      try #require(try make.wait().isSuccess, "\(make.errorText)")
      let run = try RunRecording(
        trusting: authority,
        [
          pythonInterpreter(), "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-cache-dir", "--no-deps",
          "--index-url", server.tlsURL("/simple"), "--dest", directory.path, "sample-package",
        ],
        environment: ["PIP_CONFIG_FILE": "/dev/null", "PIP_EXTRA_INDEX_URL": "", "PIP_INDEX_URL": "", "PIP_NO_INDEX": ""])
      #expect(fileExists(directory.path("sample_package-1.0-py3-none-any.whl")))
      expectDecrypted(try run.entry("/simple/sample-package/"))
      #expect(try run.entry(".whl").status == 200)
    }

    /// A wheel that installs nothing, and the page of an index (PEP 503) that leads to it.
    private static let makingAWheel = """
      import os, sys, zipfile
      directory = os.path.join(sys.argv[1], 'simple', 'sample-package')
      os.makedirs(directory)
      name = 'sample_package-1.0-py3-none-any.whl'
      with zipfile.ZipFile(os.path.join(directory, name), 'w') as wheel:
          wheel.writestr('sample_package-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: sample-package\\nVersion: 1.0\\n')
          wheel.writestr('sample_package-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
          wheel.writestr('sample_package-1.0.dist-info/RECORD', '')
      with open(os.path.join(directory, 'index.html'), 'w') as page:
          page.write(f'<!DOCTYPE html><html><body><a href="{name}">{name}</a></body></html>')
      """
  }
}

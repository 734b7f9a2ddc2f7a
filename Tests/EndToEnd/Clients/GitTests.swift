import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Git {
    /// A bare repository with a large file and 50 commits, fit for both of git's HTTP protocols.
    private static func makeRepository(in directory: TemporaryDirectory) throws {
      let script = """
        git init -q -b main work
        cd work
        git config user.name Tester
        git config user.email tester@example.invalid
        head -c 2000000 /dev/urandom >large.bin
        git add large.bin
        for n in $(seq 50); do echo $n >>small.txt; git add small.txt; git commit -qm "Commit $n"; done
        cd ..
        git clone -q --bare work repository.git
        git -C repository.git update-server-info
        """
      let shell = try TestProcess("sh", ["-ec", "cd \(directory.path); \(script)"], environment: noUserConfiguration)
      try #require(try shell.wait().isSuccess, "\(shell.errorText)")
    }

    private static let noUserConfiguration = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]

    private static func expectSameHistory(_ directory: TemporaryDirectory) throws {
      let check = try TestProcess(
        "sh",
        [
          "-ec",
          """
          cd \(directory.path)
          cmp work/large.bin clone/large.bin
          git -C clone fsck --strict
          test "$(git -C work rev-parse HEAD)" = "$(git -C clone rev-parse HEAD)"
          """,
        ], environment: noUserConfiguration)
      #expect(try check.wait().isSuccess, "\(check.errorText)")
    }

    @Test func clonesBySmartHTTP() throws {
      let directory = try TemporaryDirectory()
      try Self.makeRepository(in: directory)
      let server = try GitServer(root: directory.path)
      let recording = try recording { proxy in
        try proxy.run(
          "git", ["clone", "-q", server.url("/repository.git"), directory.path("clone")], environment: Self.noUserConfiguration)
      }
      try Self.expectSameHistory(directory)
      #expect(try recording.entry("/info/refs?service=git-upload-pack").status == 200)
      let packs = recording.entries.filter { $0.url.hasSuffix("/git-upload-pack") }
      #expect(packs.contains { ($0.responseBodySize ?? 0) > 2_000_000 })
      #expect(packs.allSatisfy { $0.method == "POST" })
    }

    @Test(arguments: CommandNetworks.ways)
    func clonesBySmartHTTPS(way: [String]) throws {
      let directory = try TemporaryDirectory()
      try Self.makeRepository(in: directory)
      let authority = try TestAuthority()
      let origin = try GitServer(root: directory.path)
      let server = try NginxServer(identity: authority.issue(), before: origin.port)
      let run = try RunRecording(
        trusting: authority, options: way,
        ["git", "clone", "-q", server.tlsURL("/origin/repository.git"), directory.path("clone")],
        environment: Self.noUserConfiguration)
      try Self.expectSameHistory(directory)
      expectDecrypted(try run.entry("/info/refs?service=git-upload-pack"))
      let packs = run.exchanges.filter { $0.url.hasSuffix("/git-upload-pack") }
      #expect(packs.contains { ($0.responseBodySize ?? 0) > 2_000_000 })
      #expect(run.exchanges.dropFirst().allSatisfy { $0.phase("ssl") == -1 }, "git keeps its connection")
    }

    @Test func clonesByDumbHTTP() throws {
      let directory = try TemporaryDirectory()
      try Self.makeRepository(in: directory)
      let server = try NginxServer()
      let move = try TestProcess("mv", ["\(directory.path)/repository.git", server.files])
      try #require(try move.wait().isSuccess)
      let recording = try recording { proxy in
        try proxy.run(
          "git", ["clone", "-q", server.url("/repository.git"), directory.path("clone")], environment: Self.noUserConfiguration)
      }
      try Self.expectSameHistory(directory)
      #expect(recording.entries.count >= 3)
    }
  }
}

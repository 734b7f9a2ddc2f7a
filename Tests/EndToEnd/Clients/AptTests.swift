import TapelineTestSupport
import Testing

extension EndToEnd {
  /// apt pipelines its requests and asks for byte ranges and dates: a demanding client.
  @Suite(.enabled(if: fileExists("/usr/bin/apt-get"))) struct Apt {
    @Test func updatesAndDownloads() throws {
      let server = try NginxServer()
      let directory = try TemporaryDirectory()
      try Self.makeRepository(in: server.files)
      let configuration = try directory.write(
        """
        Dir "\(directory.path)";
        Dir::State::status "\(directory.path)/status";
        Dir::Etc::sourcelist "\(directory.path)/sources.list";
        Dir::Etc::sourceparts "-";
        Dir::Bin::methods "/usr/lib/apt/methods";
        APT::Sandbox::User "";
        APT::Architecture "amd64";
        Acquire::Languages "none";
        Acquire::Retries "0";
        """, to: "apt.conf")
      try directory.write("deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n", to: "sources.list")
      for name in ["status", "preferences"] { try directory.write("", to: name) }
      let make = try TestProcess(
        "mkdir",
        ["-p"]
          + ["state/lists/partial", "cache/archives/partial", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"].map(
            directory.path(_:)))
      try #require(try make.wait().isSuccess)

      let recording = try recording { proxy in
        let options = ["-o", "Acquire::http::Proxy=\(proxy.url)"]
        let environment = ["APT_CONFIG": configuration]
        let update = try TestProcess("apt-get", options + ["update"], environment: environment)
        #expect(try update.wait(seconds: 60).isSuccess, "\(update.outputText)\(update.errorText)")
        let download = try TestProcess(
          "sh",
          ["-ec", "cd \(directory.path); apt-get \(options.joined(separator: " ")) download probe-0 probe-1 probe-2 probe-3"],
          environment: environment)
        #expect(try download.wait(seconds: 60).isSuccess, "\(download.outputText)\(download.errorText)")
      }
      for number in 0..<4 {
        let name = "probe-\(number)_1.0_all.deb"
        #expect(try readFile(directory.path(name)) == readFile("\(server.files)/\(name)"))
        #expect(try recording.entry("/\(name)").status == 200)
      }
      #expect(recording.entries.contains { $0.url.hasSuffix("/InRelease") && $0.status == 404 })
      #expect(recording.entries.contains { $0.url.hasSuffix("/Packages") && $0.status == 200 })
    }

    /// Four packages, and the index that `apt-get update` reads.
    private static func makeRepository(in files: String) throws {
      let script = """
        cd \(files)
        for n in 0 1 2 3; do
          mkdir -p build/$n/DEBIAN build/$n/usr/share/probe
          head -c 50000 /dev/urandom >build/$n/usr/share/probe/$n
          printf 'Package: probe-%s\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: T <t@example.invalid>\\nDescription: probe\\n' $n \\
            >build/$n/DEBIAN/control
          deb=probe-${n}_1.0_all.deb
          dpkg-deb --build --root-owner-group build/$n $deb >/dev/null
          dpkg-deb --field $deb >>Packages
          printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' $deb $(stat -c %s $deb) $(sha256sum $deb | cut -d' ' -f1) >>Packages
        done
        printf 'Date: %s\\nSHA256:\\n %s %s Packages\\n' "$(date -uR)" $(sha256sum Packages | cut -d' ' -f1) $(stat -c %s Packages) >Release
        """
      let shell = try TestProcess("sh", ["-ec", script])
      try #require(try shell.wait().isSuccess, "\(shell.errorText)")
    }
  }
}

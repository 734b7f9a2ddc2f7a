import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// A page of sixty resources from two hosts: as many connections to the origins as without us.
  @Suite struct Browser {
    private let authority: TestAuthority
    private let servers: [NginxServer]

    init() throws {
      let authority = try TestAuthority()
      self.authority = authority
      servers = try (0..<2).map { _ in
        try NginxServer(
          identity: authority.issue(), speaksHTTP2: true,
          directives: """
            add_header X-Connection $connection always;
            add_header Access-Control-Allow-Origin *;
            add_header Access-Control-Expose-Headers X-Connection;
            """)
      }
      for server in servers {
        try server.serve(Array("part".utf8), as: "part.txt")
      }
      // The page says on how many connections of each host the parts came.
      let page = """
        <!DOCTYPE html><title>Test</title><p id=p>static</p><script>
        const hosts = ['\(servers[0].tlsURL("/part.txt"))', '\(servers[1].tlsURL("/part.txt"))'];
        const part = async (host, n) => (await fetch(`${host}?${n}`, { credentials: 'omit' })).headers.get('x-connection');
        Promise.all(hosts.map(host => Promise.all([...Array(30).keys()].map(n => part(host, n)))))
          .then(all => document.getElementById('p').textContent = 'connections ' + all.map(each => new Set(each).size).join(' '));
        </script>
        """
      try servers[0].serve(Array(page.utf8), as: "page.html")
    }

    private func load(proxy: String?) throws -> String {
      let directory = try TemporaryDirectory()
      let options = proxy.map { ["--proxy-server=\($0)", "--proxy-bypass-list=<-loopback>"] } ?? ["--no-proxy-server"]
      let chromium = try TestProcess(
        "chromium",
        [
          "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
          "--user-data-dir=\(directory.path("profile"))", "--ignore-certificate-errors", "--virtual-time-budget=10000",
          "--dump-dom",
        ] + options + [servers[0].tlsURL("/page.html")], environment: ["HOME": directory.path])
      #expect(try chromium.wait(seconds: 120).isSuccess, "\(chromium.errorText)")
      let text = try #require(chromium.outputText.split(separator: "<p id=\"p\">").last, "\(chromium.outputText)")
      return String(text.prefix { $0 != "<" })
    }

    @Test func opensAsManyConnections() throws {
      let direct = try load(proxy: nil)
      #expect(direct.hasPrefix("connections "), "\(direct)")
      let directory = try TemporaryDirectory()
      let options = ["--intercept", "--ca-dir", directory.path("authority"), "--upstream-ca", authority.certificate]
      let recording = try recording(options) { proxy in
        let through = try load(proxy: proxy.url)
        #expect(through == direct)
      }
      let parts = recording.entries.filter { $0.url.contains("/part.txt?") }
      #expect(parts.count == 60)
      parts.forEach { expectHTTP2($0) }
      let connections = direct.split(separator: " ").dropFirst().compactMap { Int($0) }.reduce(0, +)
      #expect(Set(parts.map(\.connectionID)).count == connections)
    }
  }
}

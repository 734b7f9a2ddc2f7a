import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A browser: many connections at once, its own trust store, and its own ideas of what may be proxied.
  @Suite struct Chromium {
    @Test func loadsAPage() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      let page = """
        <!DOCTYPE html><title>Test</title><p id=p>static</p>
        <script>fetch('/data.json').then(r => r.json()).then(d => document.getElementById('p').textContent = d.text)</script>
        <img src="/pixel.svg">
        """
      try server.serve(Array(page.utf8), as: "page.html")
      try server.serve(Array(#"{"text": "from the server"}"#.utf8), as: "data.json")
      try server.serve(Array(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8), as: "pixel.svg")
      let directory = try TemporaryDirectory()
      let hash = try HeadlessChromium.publicKeyHash(in: directory.path("authority"))

      let options = ["--intercept", "--ca-dir", directory.path("authority"), "--upstream-ca", authority.certificate]
      let recording = try recording(options) { proxy in
        let command = HeadlessChromium.command(
          printing: server.tlsURL("/page.html"), profile: directory.path("profile"), trusting: hash,
          ["--proxy-server=\(proxy.url)", "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=5000"])
        let chromium = try TestProcess(command[0], Array(command[1...]), environment: ["HOME": directory.path])
        #expect(try chromium.wait(seconds: 120).isSuccess, "\(chromium.errorText)")
        #expect(chromium.outputText.contains("from the server"), "\(chromium.outputText) \(chromium.errorText)")
      }
      try HARValidators.expectAccepted(recording.log.path)
      let ours = recording.entries.filter { $0.url.hasPrefix(server.tlsURL("/")) && $0.method == "GET" }
      for path in ["/page.html", "/data.json", "/pixel.svg"] {
        let entry = try #require(ours.first { $0.url.hasSuffix(path) })
        #expect(entry.status == 200)
        #expect(entry.tls?["version"]?.string == "TLSv1.3")
      }
      // One connection paid, and each exchange lies on one that somebody paid for.
      let paid = ours.filter { $0.phase("ssl") > 0 }
      #expect(paid.count >= 1)
      #expect(paid.allSatisfy { $0.phase("ssl") <= $0.phase("connect") })
      #expect(Set(ours.map(\.connectionID)).count == paid.count)
    }
  }
}

import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `scripts/examples/browser-session`: what pages ask for, and nothing that the browser says on its own account.
  @Suite struct BrowserSession {
    private static func session(
      _ urls: [String], in directory: TemporaryDirectory, chromium: String? = nil
    ) throws -> (log: RecordedLog, process: TestProcess) {
      let har = directory.path("session.har")
      var environment = ["TAPELINE": try TapelineProcess.binary, "HOME": directory.path, "XDG_DATA_HOME": directory.path("data")]
      environment["CHROMIUM"] = chromium
      let process = try TestProcess("\(repositoryRoot)/scripts/examples/browser-session", [har] + urls, environment: environment)
      try #require(try process.wait(seconds: 240).isSuccess, "\(process.errorText)")
      return (try RecordedLog(contentsOf: har), process)
    }

    @Test func recordsPagesAlone() throws {
      let page = Array("<!doctype html><title>t</title><link rel=icon href=data:,><p>hello<img src=/a.png>".utf8)
      let origin = try ScriptedOrigin([.forever([.answer { _ in .response(fields: ["Content-Type: text/html"], body: page) }])])
      let directory = try TemporaryDirectory()
      let (log, process) = try Self.session([origin.url("/one"), origin.url("/two")], in: directory)
      let urls = Set(log.entries.map(\.url))
      #expect(urls == [origin.url("/one"), origin.url("/two"), origin.url("/a.png")], "\(process.outputText)")
    }

    /// A browser that cannot be kept from it is told by its fields.
    @Test func leavesOutWhatNoPageAsked() throws {
      let origin = try ScriptedOrigin([.forever([.answer { _ in .response(fields: [], body: []) }])])
      let directory = try TemporaryDirectory()
      let browser = try directory.write(
        """
        #!/bin/sh
        for word; do case $word in --proxy-server=*) proxy=${word#*=} ;; esac; url=$word; done
        exec curl -sS --noproxy '' -x "$proxy" -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate' "$url" \\
          --next -sS --noproxy '' -x "$proxy" -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: no-cors' "${url}own" \\
          --next -sS --noproxy '' -x "$proxy" -H 'X-Goog-Update-Updater: chromium' "${url}update"
        """, to: "browser", mode: 0o755)
      let (log, process) = try Self.session([origin.url("/")], in: directory, chromium: browser)
      #expect(log.entries.map(\.url) == [origin.url("/")], "\(process.errorText)")
      #expect(origin.requests.count == 3)
    }
  }
}

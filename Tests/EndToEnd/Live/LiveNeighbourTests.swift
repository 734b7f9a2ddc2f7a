import TapelineTestSupport
import Testing

/// A user of this machine who is not the one that records.
private enum OtherUser {
  static let launcher = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  static var isPossible: Bool { (try? TestProcess(launcher[0], Array(launcher[1...]) + ["true"]).wait()) == .exited(0) }
}

extension EndToEnd {
  /// What another user of the machine gets of two recordings, of which one can ask the other.
  @Suite(.enabled(if: OtherUser.isPossible, "only root becomes another user"))
  struct LiveNeighbours {
    /// - Returns: what curl prints, and the status of the answer, or of the proxy's own to CONNECT, or 000.
    private func curl(_ arguments: [String], as launcher: [String] = OtherUser.launcher) throws -> (text: String, status: String)
    {
      let command =
        launcher + ["curl", "-sS", "--max-time", "20", "--noproxy", "", "-w", "\n%{http_code} %{http_connect}"] + arguments
      let curl = try TestProcess(command[0], Array(command[1...]))
      try curl.wait(seconds: 60)
      let lines = curl.outputText.split(separator: "\n", omittingEmptySubsequences: false)
      let codes = (lines.last ?? "").split(separator: " ").map(String.init)
      let status = codes.first == "000" && codes.last != "000" ? codes.last : codes.first
      return (lines.dropLast().joined(separator: "\n"), status ?? "")
    }

    /// The ways to a place behind a proxy.
    private func doors(of proxy: TapelineProcess) -> [[String]] {
      [
        ["--proxy", proxy.url], ["--proxy", proxy.url, "--proxytunnel"], ["--proxy", "socks5h://127.0.0.1:\(proxy.port)"],
        ["--proxy", "socks4a://127.0.0.1:\(proxy.port)"],
      ]
    }

    @Test("RFC 9209 2.3.5: nobody reaches this machine, or reads a live page, through the proxy of another user")
    func doors() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "for this user")])])
      _ = try recording { second in
        let reverse = ["--reverse", "http://127.0.0.1:\(second.port)"]
        let recording = try recording(reverse) { first in
          let secret = try second.liveQuery
          let pages = ["/live", "/live/events", "/live/exchange/1", "/devtools"].map { second.url + $0 }
          for door in doors(of: first) {
            for url in pages.flatMap({ [$0, $0 + secret] }) + [origin.url("/"), "http://localhost:\(origin.port)/"] {
              let answer = try curl(door + [url])
              #expect(
                ["403", "000"].contains(answer.status) && !answer.text.contains("for this user"), "\(door) \(url): \(answer)")
            }
            let own = try curl(door + [origin.url("/")], as: [])
            #expect(own.text == "for this user", "\(door)")
            // This user's own proxy, too, needs the key.
            #expect(try curl(door + [pages[0]], as: []).status == "403")
            #expect(try curl(door + [pages[0] + secret], as: []).status == "200")
          }
          // The user has named this origin, but its page needs the key.
          let port = try #require(try first.reversePorts.first)
          for path in ["/live", "/live/events", "/devtools", "/live/exchange/1"] {
            #expect(try curl(["http://127.0.0.1:\(port)\(path)"]).status == "403")
          }
          // By itself: with the key, too.
          for url in pages { #expect(try curl([url + secret]).status == "403") }
          #expect(try curl(["\(second.url)/healthz"]).status == "200")
          #expect(try curl(["\(second.url)/metrics"]).status == "200", "the numbers are for this machine")
        }
        #expect(recording.entries.contains { $0.error?["kind"]?.string == "destination-prohibited" })
      }
      #expect(origin.requests.count == 4, "this user by each door")
    }

    @Test("At a local socket that lets everybody in, the same; this user's own client sees the live page there")
    func localSocket() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "for this user")])])
      let directory = try TemporaryDirectory()
      let path = directory.path("proxy.sock")
      _ = try recording(["--listen", "unix:\(path)"]) { proxy in
        for (mode, name) in [("666", path), ("755", directory.path)] {
          try #require(try TestProcess("chmod", [mode, name]).wait().isSuccess)
        }
        let door = ["--proxy", "socks5h://localhost\(path)"]
        #expect(try curl(door + [origin.url("/")]).status == "000")
        #expect(try curl(door + [origin.url("/")], as: []).text == "for this user")
        let page = try ["--noproxy", "*", "--unix-socket", path, "http://localhost/live\(proxy.liveQuery)"]
        #expect(try curl(page).status == "403")
        #expect(try curl(page, as: []).status == "200")
      }
    }
  }
}

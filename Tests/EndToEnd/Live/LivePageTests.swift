import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The live page as a program sees it: its address, its events, and who gets them.
  @Suite struct LivePage {
    private static func answering(_ body: String = "hello") throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: body)])])
    }

    private static func get(_ url: String, through proxy: TapelineProcess) throws {
      let curl = try proxy.curl(["-o", "/dev/null", url])
      try #require(curl.exitStatus == .exited(0), "\(curl.errorText)")
    }

    @Test("The page is one document, small on the wire, under a policy that runs its own script and asks only its own proxy")
    func page() throws {
      let recording = try recording { proxy in
        let page = try proxy.live()
        #expect(page.status == 200 && page.value(of: "Content-Type") == "text/html; charset=utf-8")
        let policy = try #require(page.value(of: "Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"))
        #expect(policy.contains("connect-src 'self'") && policy.hasSuffix("; frame-ancestors 'none'"))
        #expect(page.value(of: "Cache-Control") == "no-store" && page.value(of: "X-Frame-Options") == "DENY")
        let small = try proxy.live(fields: "Accept-Encoding: gzip, br\r\n")
        #expect(small.value(of: "Content-Encoding") == "gzip" && small.body.count <= 80_000)
        let whole = try TestProcess("gzip", ["-dc"], input: small.body)
        #expect(try whole.wait().isSuccess && whole.standardOutput == page.body)
        #expect(try proxy.live(method: "HEAD").body.isEmpty)
        for (path, method, status) in [
          ("", "POST", 405), ("/events", "POST", 405), ("/mark", "GET", 405), ("/nothing", "GET", 404),
          ("/exchange/1", "GET", 404), ("/exchange/-1", "GET", 404), ("/exchange/x", "GET", 404),
          ("/exchange/99999999999999999999", "GET", 404),
        ] {
          #expect(try proxy.live(path, method: method).status == status, "\(method) \(path)")
        }
      }
      #expect(recording.entries.isEmpty, "visits are not in the log")
    }

    @Test("An exchange is told when it has ended, with its number in the log, and its details are those of the log")
    func events() throws {
      let origin = try Self.answering()
      let recording = try recording { proxy in
        try Self.get(origin.url("/before"), through: proxy)
        let reader = try LiveReader(proxy)
        #expect(try reader.receiveStatus() == 200)
        let hello = try reader.next()
        #expect(hello.name == "hello" && hello.data["continues"] == .bool(false))
        #expect(hello.data["header"]?["pages"]?.elements.count == 1)
        let before = try reader.rows(1)
        try Self.get(origin.url("/after"), through: proxy)
        let after = try reader.rows(1)
        #expect(before.rows[0].elements[0] == .number(1) && before.rows[0].elements[4].string == origin.url("/before"))
        #expect(after.rows[0].elements[0] == .number(2) && after.rows[0].elements[4].string == origin.url("/after"))
        let details = try JSONTree(parsing: proxy.live("/exchange/2").body)
        #expect(details["entry"]?["request"]?["url"]?.string == origin.url("/after"))
        #expect(details["response"]?["text"]?.string == "hello" && details["response"]?["leftOut"] == .number(0))
      }
      #expect(recording.entries.count == 2)
    }

    @Test("A reader that comes back with its last event gets what came after it; one of another recording, all")
    func resumption() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        for number in 1...3 { try Self.get(origin.url("/\(number)"), through: proxy) }
        let first = try LiveReader(proxy)
        _ = try first.receiveStatus()
        let known = try first.rows(3)
        first.client.close()
        try Self.get(origin.url("/4"), through: proxy)
        let second = try LiveReader(proxy, lastEvent: known.lastID)
        _ = try second.receiveStatus()
        #expect(try second.next("hello").data["continues"] == .bool(true))
        #expect(try second.rows(1).rows.map { $0.elements[0] } == [.number(4)])
        for stranger in ["0123456789abcdef-3", "3", "-", "x-y", "\(known.lastID ?? "")9999999999999999999"] {
          let third = try LiveReader(proxy, lastEvent: stranger)
          _ = try third.receiveStatus()
          #expect(try third.next("hello").data["continues"] == .bool(false), "\(stranger)")
          #expect(try third.rows(4).rows.count == 4)
        }
      }
    }

    @Test("An exchange in flight is told as far as it has come; it can be looked into, and goes when it has ended")
    func inFlight() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n"), .expectEnd,
      ])
      _ = try recording { proxy in
        let reader = try LiveReader(proxy)
        _ = try reader.receiveStatus()
        let client = try proxy.request("GET \(origin.url("/stream")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "data: one\n\n")
        var row: JSONTree?
        while row?.elements[6] != .number(200) { row = try reader.next("flight").data.elements.first }
        let number = try #require(row?.elements[0].integer)
        #expect(number < 0 && row?.elements.last == .number(1))
        let details = try JSONTree(parsing: proxy.live("/exchange/\(number)").body)
        #expect(details["events"]?.elements.first?.elements.last?.string == "one")
        client.close()
        let ended = try reader.rows(1)
        #expect(ended.rows[0].elements[4].string == origin.url("/stream"))
        while try !reader.next("flight").data.elements.isEmpty {}
        #expect(try proxy.live("/exchange/\(number)").status == 404)
      }
    }

    @Test("Ten readers at once are told everything; one that reads nothing holds nobody up")
    func readers() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        let idle = try LiveReader(proxy)
        try idle.client.limitReceiveBuffer(to: 65_536)
        let readers = try (0..<10).map { _ in try LiveReader(proxy) }
        for reader in readers { #expect(try reader.receiveStatus() == 200) }
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url("/"))[1-300]?\(String(repeating: "x", count: 4_000))"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        for reader in readers {
          #expect(try reader.rows(300).rows.map { $0.elements[0].integer } == (1...300).map { $0 })
        }
        // The reader that was slow has missed nothing.
        #expect(try idle.receiveStatus() == 200)
        #expect(try idle.rows(300).rows.count == 300)
      }
    }

    @Test("For a reader that stops, the kernel keeps no more than the proxy does: the rest is in the log")
    func stoppedReader() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        let stopped = try LiveReader(proxy)
        #expect(try stopped.receiveStatus() == 200)
        let other = try LiveReader(proxy)
        #expect(try other.receiveStatus() == 200)
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url("/"))[1-2000]?\(String(repeating: "x", count: 4_000))"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        #expect(try other.rows(2_000).rows.count == 2_000)
        #expect(try waitingBytes(sentTo: stopped.client.localPort) <= 256 << 10)
      }
    }

    @Test("A reader that is far behind is told how far, and when it has caught up")
    func behind() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url("/"))[1-1500]"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        let reader = try LiveReader(proxy)
        #expect(try reader.receiveStatus() == 200)
        var count = 0
        var last: Int?
        while count < 1_500 || last != 0 {
          let event = try reader.next()
          count += event.name == "rows" ? event.data.elements.count : 0
          guard event.name == "behind" else { continue }
          let told = try #require(event.data["count"]?.integer)
          #expect(told == 0 || told >= 1_000 && told <= 1_500 - count)
          last = told
        }
      }
    }

    @Test("There are readers enough: another one is told so")
    func tooMany() throws {
      _ = try recording { proxy in
        let readers = try (0..<16).map { _ in try LiveReader(proxy) }
        for reader in readers { #expect(try reader.receiveStatus() == 200) }
        #expect(try LiveReader(proxy).receiveStatus() == 503)
      }
    }

    @Test("A rotation goes on in the same view: numbers go on, and entries of the earlier files can be looked into")
    func rotation() throws {
      let origin = try Self.answering(String(repeating: "x", count: 8_000))
      _ = try recording(["--rotate-size", "64KiB"]) { proxy in
        let reader = try LiveReader(proxy)
        _ = try reader.receiveStatus()
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url())[1-30]"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        #expect(try reader.rows(30).rows.map { $0.elements[0].integer } == (1...30).map { $0 })
        for number in [1, 15, 30] {
          let details = try JSONTree(parsing: proxy.live("/exchange/\(number)").body)
          #expect(details["entry"]?["request"]?["url"]?.string == origin.url("/\(number)"))
        }
      }
    }

    @Test("Entries of a file that was removed before it was read are missing; the reader is told how many, and gets the others")
    func removedFile() throws {
      let origin = try Self.answering(String(repeating: "x", count: 8_000))
      _ = try recording(["--rotate-size", "64KiB"]) { proxy in
        try Self.get(origin.url("/1"), through: proxy)
        let first = try LiveReader(proxy)
        _ = try first.receiveStatus()
        let known = try first.rows(1)
        first.client.close()
        // Is answered when the page knows that its reader has gone: nobody looks at the log any more.
        #expect(try proxy.live("/exchange/1").status == 200)
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url())[2-40]"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        // Is answered when those exchanges are in their files.
        #expect(try proxy.live("/exchange/-1").status == 404)
        try SystemCalls.remove("\(proxy.harPath.dropLast(".har".count))-001.har")
        let reader = try LiveReader(proxy, lastEvent: known.lastID)
        _ = try reader.receiveStatus()
        var numbers: [Int?] = []
        var lost: (after: Int, count: Int)?
        while numbers.count + (lost?.count ?? 0) < 39 {
          let event = try reader.next()
          if event.name == "rows" { numbers += event.data.elements.map { $0.elements[0].integer } }
          guard event.name == "lost" else { continue }
          #expect(lost == nil)
          lost = (1 + numbers.count, try #require(event.data["count"]?.integer))
        }
        let gap = try #require(lost)
        #expect(gap.count > 0 && numbers == (2...gap.after).map { $0 } + (gap.after + gap.count + 1...40).map { $0 })
      }
    }

    @Test("Every address of the page needs its key, or tells nothing; a refusal is in the log, without what was given")
    func key() throws {
      var key = ""
      let recording = try recording(["--record-own"]) { proxy in
        key = try proxy.liveQuery
        #expect(key.count == 5 + 32)
        for query in [
          "", "?key=", "?key=\(String(repeating: "0", count: 32))", String(key.dropLast()), key + "0", "?KEY\(key.dropFirst(4))",
        ] {
          for path in ["", "/", "/events", "/exchange/1", "/nothing"] {
            let answer = try proxy.live(path, query: query)
            #expect(answer.status == 403 && answer.bodyText.contains("tapeline status"), "\(path)\(query)")
            #expect(answer.value(of: "X-Content-Type-Options") == "nosniff")
          }
        }
        #expect(try proxy.live("/mark?x", method: "POST").status == 403)
        #expect(try proxy.live("/events", method: "HEAD", query: "?a=b&\(key.dropFirst())").status == 200)
        let page = try proxy.live()
        #expect(
          page.value(of: "Referrer-Policy") == "no-referrer" && page.value(of: "Cross-Origin-Opener-Policy") == "same-origin")
        // Not even to this user: a proxy of this user could ask.
        let start = try proxy.connect()
        try start.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\nAccept: text/html\r\n\r\n")
        #expect(try !start.receiveResponse().bodyText.contains(key.dropFirst(5)))
      }
      let known = key.dropFirst("?key=".count).prefix(16)
      #expect(recording.entries.count > 20 && recording.entries.allSatisfy { !$0.url.contains(known) })
    }

    @Test("The refused displace nobody: a reader stays, whoever knocks")
    func crowd() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        let reader = try LiveReader(proxy)
        #expect(try reader.receiveStatus() == 200)
        let strangers = try (0..<150).map { _ in try proxy.request("GET /live HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        }
        for stranger in strangers { #expect(try stranger.receiveResponse().status == 403) }
        // Those who are let in displace each other, if they take no answers; readers stay.
        let key = try proxy.liveQuery
        let idle = try (0..<150).map { _ in try proxy.request("GET /live\(key) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        }
        try Self.get(origin.url("/after"), through: proxy)
        #expect(try reader.rows(1).rows[0].elements[4].string == origin.url("/after"))
        for client in idle + strangers { client.close() }
      }
    }

    @Test("A mark needs the token of the page; the readers learn of its page")
    func marks() throws {
      let recording = try recording { proxy in
        let reader = try LiveReader(proxy)
        _ = try reader.receiveStatus()
        let token = try #require(try reader.next("hello").data["token"]?.string)
        for fields in ["", "X-Tapeline-Token: \r\n", "X-Tapeline-Token: \(String(repeating: "0", count: 32))\r\n"] {
          #expect(try proxy.live("/mark?name", method: "POST", fields: fields).status == 403)
        }
        let own = "X-Tapeline-Token: \(token)\r\n"
        #expect(try proxy.live("/mark", method: "POST", fields: own, query: "").status == 400)
        #expect(try proxy.live("/mark?%FF", method: "POST", fields: own).status == 400)
        #expect(try proxy.live("/mark?name", method: "POST", fields: own + "Content-Length: 1\r\n").status == 413)
        let marked = try proxy.live("/mark?log%20in", method: "POST", fields: own + "Content-Length: 0\r\n")
        #expect(marked.status == 200 && marked.bodyText == #"{"page":"page_2"}"#)
        let pages = try reader.next("header").data["pages"]?.elements
        #expect(pages?.compactMap { $0["title"]?.string }.last == "log in")
      }
      #expect(recording.log.tree["log"]?["pages"]?.elements.last?["title"]?.string == "log in")
    }

    @Test("RFC 9110 7.4, RFC 6454 7: neither a name that leads here nor a page of another site gets anything")
    func strangers() throws {
      _ = try recording { proxy in
        for path in ["", "/events", "/exchange/1", "/mark?x"] {
          let method = path.hasPrefix("/mark") ? "POST" : "GET"
          for host in ["evil.example:\(proxy.port)", "127.0.0.1.nip.io", "localhost."] {
            let answer = try proxy.live(path, method: method, host: host)
            #expect(answer.status == 421)
          }
          for fields in [
            "Origin: http://evil.example\r\n", "Origin: null\r\n",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n",
            "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
          ] {
            let answer = try proxy.live(path, method: method, fields: fields)
            #expect(answer.status == 403)
          }
        }
      }
    }

    @Test("With --auth, the password is needed")
    func password() throws {
      _ = try recording(["--auth", "me:secret"]) { proxy in
        #expect(try proxy.live("/events").status == 401)
        #expect(try proxy.liveQuery.isEmpty, "the password is the key")
        let reader = try LiveReader(proxy, fields: "Authorization: Basic bWU6c2VjcmV0\r\n")
        #expect(try reader.receiveStatus() == 200)
      }
    }

    @Test("At the end of the recording, a reader is told the last exchanges, and the end")
    func end() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      let reader = try LiveReader(proxy)
      _ = try reader.receiveStatus()
      _ = try reader.next("hello")
      try Self.get(origin.url("/last"), through: proxy)
      #expect(try proxy.stop() == .exited(0))
      #expect(try reader.rows(1).rows[0].elements[4].string == origin.url("/last"))
      _ = try reader.next("end")
      #expect(try reader.client.receiveToEnd().end == .closed)
    }

    @Test("run --live prints the address of the page, which is there while the command runs")
    func run() throws {
      let directory = try TemporaryDirectory()
      let run = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "--live", "--require", "0", "-o", directory.path("run.har"), "--", "sh", "-c",
          "curl -sS \"$('\(TapelineProcess.binary)' status | sed -n 's/^live at //p')\" | head -c 15",
        ])
      let line = try run.waitForErrorLine(containing: "live at http://127.0.0.1:")
      #expect(line.contains("/live?key="))
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      #expect(run.outputText == "<!DOCTYPE html>")
    }
  }
}

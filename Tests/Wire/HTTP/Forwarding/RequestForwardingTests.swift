import Testing

@testable import TapelineHTTP

@Suite struct RequestForwardingTests {
  private func forwarded(
    _ text: String, framing: BodyFraming? = nil, upgrade: Bool = false, paired: Bool = false, authority: String = ""
  ) throws -> String {
    let head = try requestHead(text)
    var output: [UInt8] = []
    var forwarding = RequestForwarding(framing: try framing ?? BodyFraming.ofRequest(head))
    forwarding.forwardsUpgrade = upgrade
    forwarding.isPaired = paired
    forwarding.authority = authority
    forwarding.append(head, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func orderSpellingDuplicatesAndBytesAreKept() throws {
    #expect(
      try forwarded("GET http://a:80/b?c HTTP/1.1\r\nx-A:1\r\nHost: a:80\r\nX-a: \t2 \r\nCookie: é\r\nx-A: 3\r\n\r\n")
        == "GET /b?c HTTP/1.1\r\nx-A:1\r\nHost: a:80\r\nX-a: \t2 \r\nCookie: é\r\nx-A: 3\r\n\r\n")
  }

  @Test func hostIsTheTargetsInThePlaceOfTheClients() throws {
    #expect(
      try forwarded("GET http://u:p@[::1]:8080/ HTTP/1.1\r\nA: 1\r\nhost: evil\r\nB: 2\r\n\r\n")
        == "GET / HTTP/1.1\r\nA: 1\r\nhost: [::1]:8080\r\nB: 2\r\n\r\n")
    #expect(
      try forwarded("GET http://a HTTP/1.0\r\nA: 1\r\n\r\n") == "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\n\r\n")
    #expect(try forwarded("GET /x HTTP/1.1\r\nHost: b\r\n\r\n") == "GET /x HTTP/1.1\r\nHost: b\r\n\r\n")
  }

  @Test func aRequestWithoutHostGetsTheAuthorityOfItsConnection() throws {
    #expect(
      try forwarded("GET /x HTTP/1.0\r\nA: 1\r\n\r\n", authority: "a:8443")
        == "GET /x HTTP/1.1\r\nHost: a:8443\r\nA: 1\r\n\r\n")
    #expect(
      try forwarded("GET /x HTTP/1.1\r\nHost: b\r\n\r\n", authority: "a:8443")
        == "GET /x HTTP/1.1\r\nHost: b\r\n\r\n")
  }

  @Test func optionsForTheServerIsAnAsterisk() throws {
    #expect(try forwarded("OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("OPTIONS * HTTP/1.1\r\n"))
  }

  @Test func hopByHopFieldsEndHere() throws {
    #expect(
      try forwarded(
        "GET http://a/ HTTP/1.1\r\nHost: a\r\nProxy-Connection: keep-alive\r\nConnection: x, close\r\nX: 1\r\nKeep-Alive: 1\r\n"
          + "Proxy-Authorization: basic\r\nUpgrade: h2c\r\nTE: gzip\r\nVia: 1.0 other\r\nMax-Forwards: 3\r\n\r\n")
        == "GET / HTTP/1.1\r\nHost: a\r\nVia: 1.0 other\r\nMax-Forwards: 3\r\n\r\n")
  }

  @Test func framingFieldsAreOurs() throws {
    #expect(
      try forwarded("POST http://a/ HTTP/1.1\r\nHost: a\r\ncontent-length: 007\r\nConnection: content-length\r\nZ: 1\r\n\r\n")
        == "POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 7\r\nZ: 1\r\n\r\n")
    #expect(
      try forwarded("POST http://a/ HTTP/1.1\r\nHost: a\r\nTRANSFER-ENCODING: ,Chunked\r\nTransfer-Encoding:\r\nZ: 1\r\n\r\n")
        == "POST / HTTP/1.1\r\nHost: a\r\nTRANSFER-ENCODING: chunked\r\nZ: 1\r\n\r\n")
    #expect(
      try forwarded("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", framing: .length(5))
        == "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
    #expect(
      try forwarded("POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        == "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func trailersAreAcceptedByOurOwnOption() throws {
    #expect(
      try forwarded("GET http://a/ HTTP/1.1\r\nHost: a\r\nTE: gzip;q=0.5, Trailers\r\nConnection: TE\r\n\r\n")
        == "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n")
  }

  @Test func upgradeIsForwardedOnlyWhenAskedAndNeverFromHTTP10() throws {
    let lines = "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n"
    #expect(
      try forwarded("GET http://a/ HTTP/1.1\r\n" + lines, upgrade: true)
        == "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n"
    )
    #expect(!(try forwarded("GET http://a/ HTTP/1.1\r\n" + lines).contains("Upgrade")))
    #expect(!(try forwarded("GET http://a/ HTTP/1.0\r\n" + lines, upgrade: true).contains("Upgrade")))
    #expect(
      try forwarded("GET http://a/ HTTP/1.1\r\nTE: trailers\r\n" + lines, upgrade: true).contains(
        "\r\nConnection: Upgrade, TE\r\n"))
  }

  @Test func expectIsForwarded() throws {
    #expect(
      try forwarded("PUT http://a/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n").contains(
        "Expect: 100-continue\r\n"))
  }

  @Test func forwardsAreCountedDownForTraceAndOptions() throws {
    #expect(
      try forwarded("OPTIONS http://a/ HTTP/1.1\r\nHost: a\r\nMax-Forwards: 10\r\n\r\n").contains("\r\nMax-Forwards: 9\r\n"))
  }

  @Test func whatIsForwardedReadsAsTheSameRequest() throws {
    let again = try requestHead(try forwarded("POST http://a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX: \t1 \r\n\r\n"))
    #expect(again.targetText == "/b")
    #expect(again.fields == ["Host": "a", "Content-Length": "3", "X": "1"])
    #expect(try BodyFraming.ofRequest(again) == .length(3))
  }

  @Test func aConnectionOfTheClientsOwnIsAskedForWhatTheClientAsks() throws {
    for line in ["Connection: close", "connection:  Keep-Alive", "Connection: keep-alive, Upgrade"] {
      let head = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\(line)\r\nUpgrade: websocket\r\nB: 1\r\n\r\n"
      let isUpgrade = line.hasSuffix("Upgrade")
      let sent = try forwarded(head, upgrade: isUpgrade, paired: true)
      #expect(sent.contains("\r\n\(line)\r\n"), "\(line)")
      #expect(!(try forwarded(head).contains(line)), "a connection that is shared is nobody's to close")
    }
    #expect(
      try forwarded("GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-Own\r\nX-Own: 1\r\n\r\n", paired: true)
        == "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
    #expect(
      try forwarded(
        "GET http://a/ HTTP/1.1\r\nConnection: TE\r\nHost: a\r\nConnection: close\r\nTE: Trailers\r\n\r\n", paired: true)
        == "GET / HTTP/1.1\r\nConnection: close, TE\r\nHost: a\r\nTE: Trailers\r\n\r\n")
    #expect(
      try forwarded("GET http://a/ HTTP/1.0\r\nHost: a\r\n\r\n", paired: true).hasSuffix("\r\nConnection: close\r\n\r\n"),
      "which HTTP/1.0 means by saying nothing")
    #expect(
      try forwarded("GET http://a/ HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n", paired: true).hasSuffix(
        "\r\nConnection: Keep-Alive\r\n\r\n"))
  }

  @Test func viaIsAddedWhereItIsWantedAndThatOfOurKindEndsBeforeTheOrigin() throws {
    let head = try requestHead("GET http://a/ HTTP/1.1\r\nHost: a\r\nVia: 1.1 tapeline-12ab34\r\nVia: 1.0 other\r\n\r\n")
    var forwarding = RequestForwarding(framing: .none)
    func sent() -> String {
      var output: [UInt8] = []
      forwarding.append(head, into: &output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(sent() == "GET / HTTP/1.1\r\nHost: a\r\nVia: 1.0 other\r\n\r\n")
    #expect(forwarding.changes(of: head) == [.removed(1)])
    let pseudonym = Pseudonym.unique()
    forwarding.pseudonym = pseudonym
    #expect(sent().hasSuffix("\r\nVia: 1.1 tapeline-12ab34\r\nVia: 1.0 other\r\nVia: 1.1 \(pseudonym.text)\r\n\r\n"))
    #expect(forwarding.changes(of: head) == [.added(name: "Via", value: "1.1 \(pseudonym.text)")])
  }

  @Test func whatIsChangedIsListedAndNothingElseIs() throws {
    func changes(_ text: String, framing: BodyFraming? = nil) throws -> [HeadChange] {
      let head = try requestHead(text)
      var forwarding = RequestForwarding(framing: try framing ?? BodyFraming.ofRequest(head))
      forwarding.isPaired = true
      return forwarding.changes(of: head)
    }
    #expect(try changes("POST http://a/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\ncontent-length:  3\r\nA: 1\r\n\r\n") == [])
    #expect(
      try changes("GET http://a/ HTTP/1.0\r\nhost: b\r\nProxy-Connection: close\r\n\r\n")
        == [.version(.http10, to: .http11), .rewritten(0, to: "a"), .removed(1), .added(name: "Connection", value: "close")])
    #expect(
      try changes("PUT http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", framing: .length(5))
        == [.removed(1), .added(name: "Content-Length", value: "5")])
    let head = try requestHead("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
    var forwarding = RequestForwarding(framing: .none)
    forwarding.hop = .proxy(authorization: "Basic c2VjcmV0")
    #expect(forwarding.changes(of: head) == [.added(name: "Proxy-Authorization", value: nil)], "a secret is not shown")
  }

  @Test(arguments: [
    "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\nA: 1\r\n\r\n", "GET /b HTTP/1.1\r\nA: 1\r\n\r\n",
    "GET /b HTTP/1.0\r\nHost: a\r\n\r\n", "GET /b HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",
    "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: close\r\n\r\n",
  ]) func aSentHeadHasTheSameChangesAsOneThatIsOnlyLookedAt(text: String) throws {
    let head = try HeadParser.request(Array(text.utf8), lineCount: text.split(separator: "\r\n").count + 1, needsHost: false)
    var unsent = RequestForwarding(framing: .none)
    unsent.isPaired = true
    unsent.authority = "a"
    var sent = unsent
    var output: [UInt8] = []
    sent.append(head, into: &output)
    #expect(sent.changes(of: head) == unsent.changes(of: head))
    #expect(sent.changes(of: head).isEmpty == (output == Array(text.utf8)))
  }

  @Test("A head of HTTP/2 becomes one of HTTP/1.1: Host, and one cookie (RFC 9113 8.2.3 and 8.3.1)") func fromHTTP2() throws {
    func sent(_ lines: [(String, String)], _ forwarding: RequestForwarding) throws -> (String, [HeadChange]) {
      var fields = HeaderFields()
      for line in lines { fields.append(name: line.0, value: line.1) }
      let head = try RequestHead(method: .get, target: Array("http://a:1/b?c".utf8), version: .http2, fields: fields)
      var (output, forwarding) = ([UInt8](), forwarding)
      forwarding.append(head, into: &output)
      return (String(decoding: output, as: UTF8.self), forwarding.changes(of: head))
    }
    let crumbs = [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2"), ("cookie", "c=3")]
    let (joined, changes) = try sent(crumbs, RequestForwarding(framing: .none))
    #expect(joined == "GET /b?c HTTP/1.1\r\nHost: a:1\r\ncookie: a=1; b=2; c=3\r\nx: y\r\n\r\n")
    #expect(
      changes == [
        .version(.http2, to: .http11), .added(name: "Host", value: "a:1"), .rewritten(0, to: "a=1; b=2; c=3"), .removed(2),
        .removed(3),
      ])
    #expect(try sent([("cookie", "a=1")], RequestForwarding(framing: .none)).1.count == 2, "one crumb is a cookie")

    var upgrade = RequestForwarding(framing: .none)
    upgrade.forwardsUpgrade = true
    upgrade.upgrade = .init(to: "websocket", key: "KEY")
    let (text, _) = try sent([("sec-websocket-version", "13")], upgrade)
    #expect(
      text == "GET /b?c HTTP/1.1\r\nHost: a:1\r\nsec-websocket-version: 13\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Key: KEY\r\n\r\n")
  }
}

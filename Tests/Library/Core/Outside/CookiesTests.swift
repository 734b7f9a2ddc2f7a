import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// Cookies are kept and sent, as a browser would.
@Suite struct CookiesTests {
  private let session = Session(configuration: .patient)

  /// Answers each path with the fields it is told to, and every other with 200 and nothing.
  private func makeOrigin(_ fields: [String: [String]]) throws -> ScriptedOrigin {
    try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .answer { request in
            let path = String(request.startLine.split(separator: " ")[1])
            let status = path == "/redirect" ? "302 Found" : "200 OK"
            return Array(
              (["HTTP/1.1 \(status)"] + (fields[path] ?? []) + ["Content-Length: 0", "", ""]).joined(separator: "\r\n").utf8)
          }
        ])
      ])
  }

  private func get(_ url: String, _ session: Session, headers: HTTPHeaders? = nil) async {
    _ = await session.request(url, headers: headers).serializingData(emptyResponseCodes: [200]).response
  }

  private func sent(_ origin: ScriptedOrigin) -> [[String]] {
    origin.requests.map { $0.values(of: "Cookie") }
  }

  @Test("4: a cookie is sent where it is for: longer paths first, not below other paths, and not to other hosts")
  func keptAndSent() async throws {
    let origin = try makeOrigin([
      "/login": [
        "Set-Cookie: id=7; Path=/; HttpOnly", "Set-Cookie: side=B; Path=/tapes", "Set-Cookie: no pair",
        "Set-Cookie: x=y; Domain=com",
      ]
    ])
    for path in ["/login", "/", "/tapes/1", "/tapesters"] { await get(origin.url(path), session) }
    #expect(sent(origin) == [[], ["id=7"], ["side=B; id=7"], ["id=7"]])
    let elsewhere = try ScriptedOrigin(on: .v6, patience: 600, [.forever([.expectRequest, .respond()])])
    await get(elsewhere.url(), session)
    #expect(sent(elsewhere) == [[]])
  }

  @Test("4: a cookie can be replaced, and expires when stated")
  func replacedAndEnded() async throws {
    let origin = try makeOrigin([
      "/1": ["Set-Cookie: id=1", "Set-Cookie: other=1; Max-Age=1000"], "/2": ["Set-Cookie: id=2"],
      "/3": ["Set-Cookie: id=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "/4": ["Set-Cookie: other=x; Max-Age=0"],
    ])
    for path in ["/1", "/2", "/3", "/4", "/5"] { await get(origin.url(path), session) }
    #expect(sent(origin) == [[], ["id=1; other=1"], ["id=2; other=1"], ["other=1"], []])
  }

  @Test("4: a cookie that comes with a redirection is sent with what follows; what is for https only is not taken from http")
  func redirections() async throws {
    let origin = try makeOrigin(["/redirect": ["Location: /to", "Set-Cookie: id=7", "Set-Cookie: safe=1; Secure"]])
    await get(origin.url("/redirect"), session)
    #expect(sent(origin) == [[], ["id=7"]])
  }

  @Test("4: the user's own field is the only one, a session without a storage keeps nothing, and sessions can share one")
  func choices() async throws {
    let origin = try makeOrigin(["/login": ["Set-Cookie: id=7"]])
    let storage = HTTPCookieStorage()
    var configuration = SessionConfiguration.patient
    configuration.httpCookieStorage = storage
    let (first, second) = (Session(configuration: configuration), Session(configuration: configuration))
    configuration.httpCookieStorage = nil
    let without = Session(configuration: configuration)
    await get(origin.url("/login"), first)
    await get(origin.url(), second)
    await get(origin.url(), second, headers: ["Cookie": "mine=1"])
    await get(origin.url("/login"), without)
    await get(origin.url(), without)
    #expect(sent(origin) == [[], ["id=7"], ["mine=1"], [], []])
    let url = try #require(URL(string: origin.url("/some/where")))
    #expect(storage.cookies(for: url).map(\.value) == ["7"])
    let command = second.request(origin.url())
    _ = await command.serializingData(emptyResponseCodes: [200]).response
    #expect(command.cURLDescription().contains("-b \"id=7\""))
    storage.removeAll()
    #expect(storage.cookies.isEmpty)
  }
}

import TapelineTestSupport
import Testing

extension Stage {
  /// Apache with `mod_deflate`, and with a count of requests in its `Keep-Alive`: on another connection it is another number.
  static func apache() throws -> Stage {
    let passwords = try TemporaryDirectory()
    let file = try passwords.write("me:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n", to: "passwords", mode: 0o644)
    let server = try ApacheServer(
      directives: """
        MaxKeepAliveRequests 500
        \([301, 302, 303, 307, 308].map { "Redirect \($0) /moved-\($0) /text.txt" }.joined(separator: "\n"))
        \([410, 418, 429, 500, 503].map { "Redirect \($0) /status-\($0)" }.joined(separator: "\n"))
        Redirect 403 /forbidden
        Redirect 204 /nothing-to-say
        <Location "/private">
          AuthType Basic
          AuthName "a realm"
          AuthUserFile "\(file)"
          Require valid-user
        </Location>
        <Location "/cookies">
          Header add Set-Cookie "a=1; Path=/"
          Header add Set-Cookie "b=2; HttpOnly; SameSite=Lax"
        </Location>
        <Location "/fresh.txt">
          Header set Cache-Control "public, max-age=60"
        </Location>
        """)
    for file in StageFiles.all { try server.serve(file.bytes, as: file.name) }
    for name in ["fresh.txt", "cookies"] { try server.serve(Array(name.utf8), as: name) }
    try StageFiles.makeOld(["fresh.txt", "cookies"], in: server.files)
    let text = try StageFiles.validators(of: "/text.txt", port: server.port)
    return Stage(
      port: server.port,
      table: CommonExchanges.all(etag: text.etag, lastModified: text.lastModified, endsAfterFailedConditions: false) + own,
      server: [passwords, server] as [any Sendable])
  }

  private static var own: [Exchange] {
    [410, 418, 429, 500, 503].map { .get("\($0)", "/status-\($0)") } + [
      .get("fresh for a minute", "/fresh.txt", ["Cache-Control: max-age=0"]),
      .get("what Apache negotiates", "/text.txt", ["Accept: text/html;q=0.1, */*", "Accept-Language: pl, en;q=0.5"]),
      Exchange(
        name: "POST in chunks to a file", method: "POST", target: "/nothing",
        body: .chunked([Array("a=".utf8), Array("1".utf8)])),
      Exchange(name: "TRACE", method: "TRACE", target: "/text.txt"),
    ]
  }
}

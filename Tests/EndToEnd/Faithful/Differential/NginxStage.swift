import TapelineTestSupport
import Testing

extension Stage {
  /// nginx with the compression that its documentation has: not for requests that came through a proxy, by `Via`.
  static func nginx() throws -> Stage {
    let passwords = try TemporaryDirectory()
    let file = try passwords.write("me:{PLAIN}secret\n", to: "passwords", mode: 0o644)
    let server = try NginxServer(
      directives: """
        gzip_proxied off;
        gzip_types text/plain;
        location = /forbidden { return 403; }
        location = /nothing-to-say { return 204; }
        \([301, 302, 303, 307, 308].map { "location = /moved-\($0) { return \($0) /text.txt; }" }.joined(separator: "\n"))
        \([400, 409, 410, 418, 429, 500, 502, 503, 504].map { "location = /status-\($0) { return \($0) \"status \($0)\"; }" }
          .joined(separator: "\n"))
        location = /cookies {
          add_header Set-Cookie "a=1; Path=/";
          add_header Set-Cookie "b=2; HttpOnly; SameSite=Lax";
          return 200 "two";
        }
        location = /heard {
          return 200 "$request_method $http_host via=$http_via connection=$http_connection te=$http_te keep=$http_keep_alive";
        }
        location /private { auth_basic "a realm"; auth_basic_user_file \(file); }
        location /fresh/ { rewrite ^/fresh(/.*)$ $1 break; expires max; add_header Cache-Control "public"; }
        """)
    for file in StageFiles.all { try server.serve(file.bytes, as: file.name) }
    try StageFiles.makeOld(in: server.files)
    let text = try StageFiles.validators(of: "/text.txt", port: server.port)
    return Stage(
      port: server.port,
      table: CommonExchanges.all(etag: text.etag, lastModified: text.lastModified, endsAfterFailedConditions: true) + own,
      server: [passwords, server] as [any Sendable])
  }

  private static var own: [Exchange] {
    let uploaded = patternedBytes(200_000, seed: 4)
    return [400, 409, 410, 418, 429, 500, 502, 503, 504].map { .get("\($0)", "/status-\($0)") } + [
      .get("401 with wrong credentials", "/private/text.txt", ["Authorization: Basic bWU6d3Jvbmc="]),
      .get("what the right ones open", "/private/text.txt", ["Authorization: Basic bWU6c2VjcmV0"]),
      .get("what nginx hears", "/heard"), .get("what nginx hears of Connection", "/heard", ["Connection: keep-alive"]),
      .get("what nginx hears of TE", "/heard", ["TE: trailers", "Connection: TE"]),
      .get("what nginx hears of Keep-Alive", "/heard", ["Keep-Alive: timeout=5"]),
      .get("fresh for ever", "/fresh/text.txt", ["Cache-Control: max-age=0", "Pragma: no-cache"]),
      .get("a query and a referrer", "/text.txt?a=1&b=%20", ["Referer: http://a.test/"]),
      Exchange(name: "PUT", method: "PUT", target: "/upload/a.bin", body: .length(uploaded)),
      Exchange(name: "PUT of nothing", method: "PUT", target: "/upload/b.bin", body: .length([])),
      Exchange(
        name: "PUT in chunks", method: "PUT", target: "/upload/c.bin",
        body: .chunked([Array("one".utf8), uploaded, Array("x".utf8)])),
      Exchange(name: "PUT in no chunk", method: "PUT", target: "/upload/d.bin", body: .chunked([])),
      Exchange(
        name: "PUT with Expect", method: "PUT", target: "/upload/e.bin", fields: ["Expect: 100-continue"], body: .length(uploaded)
      ),
      Exchange(name: "POST to a static file", method: "POST", target: "/text.txt", body: .length(Array("a=1&b=2".utf8))),
    ]
  }
}

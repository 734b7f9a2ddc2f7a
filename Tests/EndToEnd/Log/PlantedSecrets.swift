/// Secrets in the places of messages, each with a text of its own, so that whatever has leaked says from where.
struct PlantedSecret {
  /// What may leave the process under no name: the secret alone.
  let secret: String
  /// The same with all around it, as it goes over the wire.
  let text: String
  let type: String
}

/// Makes secrets that no other has, and the texts around them.
struct SecretPlanter {
  private var count = 0

  /// Looks like a password of a machine.
  private mutating func next() -> String {
    count += 1
    return "q8Zk\(1_000 + count)Lw0Xys3cr3tV7"
  }

  /// A known form, whatever its name and place: letters and digits that no other secret has.
  private mutating func next(_ prefix: String, _ length: Int) -> String {
    count += 1
    let body = "\(count)qZ7wK3tM9xB4nV6cR2pL8sD5fG1hJ0yT\(count)aE3uI7oP9kM2".filter { $0.isLetter || $0.isNumber }
    return prefix + (body + body).prefix(length)
  }

  /// `S` stands for the secret.
  private static let texts: [(type: String, text: String)] = [
    ("application/json", #"{"user":"x","password":"S"}"#), ("application/json", #"{"a":[{"b":{"client_secret":["S"]}}]}"#),
    ("application/json", #"{"a":"{\"token\":\"S\"}"}"#), ("application/json", #"{"session":{"id":"S","theme":"x"}}"#),
    ("application/json", #"{"headers":[{"name":"Authorization","value":"Bearer S"}]}"#),
    ("application/json", #"{"query":"mutation","variables":{"input":{"passphrase":"S"}}}"#),
    ("application/json", #"{"log":"GET /\nCookie: sid=S; a=b"}"#), ("application/json", #"{"pass\u0077ord":"S"}"#),
    ("application/x-ndjson", "{\"a\":1}\n{\"session_id\":\"S\"}\n"),
    ("text/event-stream", "event: a\ndata: {\"token\":\"S\"}\n\n"),
    ("application/x-www-form-urlencoded", "a=b&password=S"),
    ("application/x-www-form-urlencoded", "next=http%3A%2F%2Fh%3Ftoken%3DS"),
    ("application/x-www-form-urlencoded", "pass%77ord=S&x=1"),
    ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nS\r\n--b--\r\n"),
    ("application/xml", "<r><ns:SessionToken>S</ns:SessionToken></r>"), ("application/xml", "<user name=\"x\" password=\"S\"/>"),
    ("application/yaml", "db:\n  password: S\n"), ("application/yaml", "credentials:\n  user: S\n"),
    ("text/plain", "-----BEGIN PRIVATE KEY-----\nS\n-----END PRIVATE KEY-----\n"), ("text/plain", "Authorization: Bearer S\n"),
    ("text/plain", "2026 INFO auth password: S ok"), ("text/plain", "export DB_PASSWORD='S'\n"),
    ("text/plain", "curl 'https://u:S@h.example/'"), ("text/plain", "GET /cb?access_token=S HTTP/1.1\n"),
    ("text/html", #"<input type="password" value="S">"#), ("text/html", #"<meta content="S" name="csrf-token">"#),
    ("text/html", #"<a href="/x?a=b&amp;token=S">x</a>"#), ("text/javascript", "localStorage.setItem(\"access_token\",\"S\")"),
    ("text/csv", "user,password\r\nbob,S\r\n"), ("message/http", "HTTP/1.1 200 OK\r\nSet-Cookie: zz=S; Path=/\r\n\r\n"),
  ]

  /// By their shape, in a text that says nothing.
  private static let forms: [(prefix: String, length: Int)] = [
    ("ghp_", 36), ("glpat-", 20), ("sk_live_", 24), ("xoxb-1234567890-", 24), ("npm_", 36), ("hf_", 34), ("dckr_pat_", 27),
    ("lin_api_", 40),
  ]

  /// One for each kind of text.
  mutating func bodies() -> [PlantedSecret] {
    var planted: [PlantedSecret] = []
    for (type, text) in Self.texts {
      let secret = next()
      planted.append(PlantedSecret(secret: secret, text: text.replacing(/\bS\b/, with: secret), type: type))
    }
    for form in Self.forms {
      // Digits of a check, which some forms end with, are asked for by none.
      let secret = next(form.prefix, form.length)
      planted.append(PlantedSecret(secret: secret, text: "all is well \(secret) indeed", type: "text/plain"))
    }
    return planted
  }

  /// The lines of a request, a secret in each.
  mutating func requestLines() -> [(name: String, value: String, secret: String)] {
    [
      ("Authorization", "Bearer S"), ("Authorization", "Own S"), ("Authorization", "Digest username=\"u\", response=\"S\""),
      ("Cookie", "sid=S"), ("Cookie", "a=1; b=S; c=2"), ("X-Api-Key", "S"), ("X-Auth-Token", "S"), ("X-CSRF-Token", "S"),
      ("Referer", "http://h.example/?token=S"), ("Referer", "http://h.example/#access_token=S"),
      ("Referer", "http://u:S@h.example/"),
      ("X-Original-URL", "/a?access_token=S"), ("X-Note", "Bearer S"), ("X-Json", #"{"password":"S"}"#),
      ("Accept", "a/b;token=S"), ("Cache-Control", "max-age=0, api_key=S"), ("X-Hub-Signature-256", "sha256=S"),
      ("Authentication", "S"), ("User-Agent", "x/1 (api_key=S)"), ("Accept-Language", "en; password=S"),
    ].map { line in
      let secret = next()
      return (line.0, line.1.replacing(/\bS\b/, with: secret), secret)
    }
      + (0..<1).map { _ in
        // The name of a cookie, and that of a field, with a known form.
        let secret = next("ghp_", 36)
        return ("Cookie", "\(secret)=1", secret)
      }
  }

  mutating func responseLines() -> [(name: String, value: String, secret: String)] {
    [
      ("Set-Cookie", "sid=S; Path=/; HttpOnly"), ("Set-Cookie", "a=1; Comment=token=S"), ("Location", "/cb?code=S&state=x"),
      ("Location", "/#access_token=S"), ("Location", "http://u:S@h.example/"), ("X-Api-Key", "S"),
      ("Refresh", "0; url=/?token=S"),
      ("Link", "</a?sig=S>; rel=next"), ("Content-Location", "/a?token=S"), ("Server-Timing", "auth;desc=\"token=S\""),
      ("Authentication-Token", "S"), ("WWW-Authenticate", "Bearer realm=\"x\", token=\"S\""),
    ].map { line in
      let secret = next()
      return (line.0, line.1.replacing(/\bS\b/, with: secret), secret)
    }
  }

  /// What follows the path, or is a part of it.
  mutating func targets() -> [(target: String, secret: String)] {
    [
      "?token=S", "?a=1&API-Key=S&b", "?%74oken=S", "?next=http%3A%2F%2Fh%2F%3Ftoken%3DS%26a%3Db", "?state=1&code=S",
      "?x[password]=S", "?X-Amz-Signature=S", "?data=%7B%22token%22%3A%22S%22%7D", "?a;token=S", "/token/S", "/reset-password/S",
      "/x/api_key=S/y",
    ].map { target in
      let secret = next()
      return (target.replacing(/\bS\b/, with: secret), secret)
    }
      + ["?", "/"].map { mark in
        // A name in a query, and a part of a path.
        let secret = next("ghp_", 36)
        return (mark == "?" ? "?\(secret)=1" : "/\(secret)/x", secret)
      }
  }
}

import TapelineBase

/// Documents as they are every day, with nothing secret in them, and with the words that secrets are called by.
struct OrdinaryDocuments {
  private var noise: SeededGenerator

  init(seed: UInt64) {
    noise = SeededGenerator(seed: seed)
  }

  private static let words = [
    "token", "key", "session", "passwords", "monkey", "keyboard", "secretary", "author", "authority", "signed", "user", "order",
    "hash", "tokenizer", "pass", "report", "the", "a", "of", "and", "is", "page", "sessions", "tokens", "keys", "cookie", "basic",
    "bearer", "data", "cookies",
  ]

  private mutating func word() -> String { noise.one(of: Self.words) }
  private mutating func sentence() -> String { (0..<noise.number(3...12)).map { _ in word() }.joined(separator: " ") + "." }
  private mutating func hex(_ count: Int) -> String { noise.text(count, of: "0123456789abcdef") }
  private mutating func uuid() -> String { "\(hex(8))-\(hex(4))-4\(hex(3))-a\(hex(3))-\(hex(12))" }
  private mutating func date() -> String {
    "2026-\(noise.number(10...12))-\(noise.number(10...28))T1\(noise.number(0...9)):30:00Z"
  }
  private mutating func identifier() -> String { "\(word())_\(word())_\(noise.number(1...9))" }
  private mutating func base64(_ count: Int) -> String {
    noise.text(count, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  }

  mutating func json() -> String {
    let items = (0..<noise.number(1...12)).map { _ in item() }
    let list = items.joined(separator: ",")
    switch noise.number(0...4) {
    case 0: return #"{"data":[\#(list)],"total":\#(items.count),"next":null,"page":{"number":1,"size":50}}"#
    case 1: return #"{"data":{"viewer":{"repositories":{"nodes":[\#(list)],"pageInfo":{"hasNextPage":false}}}}}"#
    case 2: return openAPI()
    case 3: return package()
    default: return usage()
    }
  }

  private mutating func item() -> String {
    ##"""
    {"id":"\##(uuid())","key":"\##(identifier())","name":"\##(word())","kind":"\##(word())","description":"\##(sentence())","count":\##
    \##(noise.number(0...99_999)),"isActive":true,"created_at":"\##(date())","sha256":"\##(hex(64))","url":"https://h.example/\##
    \##(word())/\##(noise.number(1...9_999))?page=2&sort=\##(word())","tags":["\##(word())","\##(word())"],"note":"","parent":null,\##
    "max_tokens":\##(noise.number(1_000...9_999)),"token_type":"bearer","avatar":"data:image/png;base64,\##(base64(400))",\##
    "authors":[{"name":"\##(word())","commit":"\##(hex(40))"}],"expires_in":3600,"key_id":"\##(identifier())","value":"\##(word())"}
    """##
  }

  private mutating func usage() -> String {
    ##"""
    {"model":"m-4","usage":{"prompt_tokens":\##(noise.number(1_000...99_999)),"completion_tokens":1234,"total_tokens":56789},\##
    "choices":[{"text":"\##(sentence())","finish_reason":"stop"}],"passwordPolicy":{"minLength":12,"requireDigit":true},\##
    "features":["token","session","password","cookies"],"keys":["\##(word())","\##(word())"],"sessions":\##(noise.number(1_000...9_999))}
    """##
  }

  private mutating func openAPI() -> String {
    ##"""
    {"openapi":"3.1.0","paths":{"/token":{"post":{"summary":"\##(sentence())","operationId":"createToken"}}},"components":{\##
    "schemas":{"Login":{"type":"object","required":["username","password"],"properties":{"username":{"type":"string"},\##
    "password":{"type":"string","format":"password","minLength":8},"token":{"$ref":"#/components/schemas/Token"}}}}}}
    """##
  }

  private mutating func package() -> String {
    ##"""
    {"name":"\##(word())","dist-tags":{"latest":"1.\##(noise.number(0...99)).0"},"versions":{"1.0.0":{"dist":{"integrity":"sha512-\##
    \##(base64(86))==","shasum":"\##(hex(40))","tarball":"https://r.example/\##(word())/-/\##(word())-1.0.0.tgz","signatures":[{"keyid":\##
    "SHA256:\##(base64(43))","sig":"\##(base64(96))"}]},"dependencies":{"json-\##(word())":"^1.2.3","jsonwebtoken":"~9.0.2","cookie-\##(word())":"~0.1"}}},"time":\##
    {"created":"\##(date())"}}
    """##
  }

  mutating func text() -> String {
    switch noise.number(0...6) {
    case 0: (0..<20).map { _ in log() }.joined(separator: "\n")
    case 1: html()
    case 2: source()
    case 3: "name=\(word())&page=\(noise.number(1...99))&id=\(uuid())&q=\(word())+\(word())&key=\(word())&sort=created_at"
    case 4: head()
    case 5: yaml()
    default:
      "id,name,created,commit\n"
        + (0..<20).map { _ in "\(noise.number(1...999)),\(word()),\(date()),\(hex(40))" }.joined(separator: "\n")
    }
  }

  private mutating func log() -> String {
    """
    \(date()) INFO [\(word())-\(noise.number(1...9))] \(sentence()) request=\(uuid()) took \(noise.number(1...999))ms status=200 \
    path=/\(word())/\(noise.number(1...9_999)) session: started, token: valid, key=\(word()) commit \(hex(40))
    """
  }

  private mutating func html() -> String {
    let rows = (0..<10).map { _ in
      "<tr><td>\(word())</td><td>\(noise.number(1...9_999))</td><td class=\"key\">\(word())</td><th>Token</th><td>\(word())</td></tr>"
    }
    return """
      <!doctype html><html><head><title>\(sentence())</title><meta name="description" content="\(sentence())">
      <link integrity="sha384-\(base64(64))" href="/a.\(hex(8)).css"></head><body><form action="/login">
      <label for="password">Password</label><input type="password" id="password" name="password" value=""></form>
      <table>\(rows.joined())</table><img src="data:image/png;base64,\(base64(600))">
      <a href="/reset-password/help">\(sentence())</a></body></html>
      """
  }

  private mutating func source() -> String {
    noise.one(of: [
      """
      import os
      class Session:
          def __init__(self, key, token=None):
              self.key = key
              self.token = token or os.environ.get("TOKEN")
              self.passwords = [p for p in load(key) if p.isvalid]
          def refresh(self):
              session = requests.Session()
              self.token = session.token
              token = self.provider.token(scope=\(word()))
              if token == self.token: return session
              return Session(key=self.key, token=token)
      """,
      """
      export async function login(user, password) {
        const session = await api.post(`/login`, { user, password });
        let token = session.token; const key = keys[\(noise.number(0...9))];
        if (!token) throw new Error("\(word()) \(word())");
        return { token, key, hash: sha256(password) };
      }
      .token.operator{color:#9a6e3a;background:hsla(0,0%,100%,.5)}.sk-circle-fade-dot{width:4px;height:4px}
      """,
      """
      func sign(_ key: Key, token: Token?) -> Signature {
        let session = Session(key: key, token: token ?? .none)
        guard let secret = store.secret(for: key) else { return .empty }
        return session.sign(secret: secret, algorithm: .\(word()))
      }
      switch token { case .key: return passwords.count }
      """,
    ])
  }

  private mutating func yaml() -> String {
    """
    name: \(word())
    on: [push]
    jobs:
      build:
        runs-on: ubuntu-24.04
        steps:
          - uses: actions/checkout@\(hex(40))
            with:
              fetch-depth: \(noise.number(0...9))
              key: \(word())-${{ hashFiles('**/lock') }}
          - run: make \(word())
    components:
      password:
        type: string
        description: \(sentence())
    """
  }

  private mutating func head() -> String {
    """
    GET /\(word())/\(noise.number(1...9_999)) HTTP/1.1\r
    Host: h.example\r
    User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r
    Sec-CH-UA: "Chromium";v="140", "Not=A?Brand";v="24"\r
    If-None-Match: W/"\(hex(32))"\r
    Cache-Control: max-age=0\r
    X-Request-Id: \(uuid())\r
    Date: Sat, 21 Nov 2026 12:00:00 GMT\r
    """
  }
}

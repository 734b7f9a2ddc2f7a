import Testing

@testable import TapelineRedaction

struct SecretFinderTests {
  /// The text with its secrets in `«…»`.
  private func marked(_ text: String, style: SecretFinder.Style = .document) -> String {
    let bytes = Array(text.utf8)
    var finder = SecretFinder(style: style)
    var output: [UInt8] = []
    var end = 0
    while let finding = finder.next(in: bytes.span, by: .standard) {
      output += bytes[end..<finding.range.lowerBound] + Array((finding.wantsQuotes ? "“" : "«").utf8)
      output += bytes[finding.range] + Array((finding.wantsQuotes ? "”" : "»").utf8)
      end = finding.range.upperBound
    }
    output += bytes[end...]
    return String(decoding: output, as: UTF8.self)
  }

  /// The marks taken out give the text: one list says both.
  private func plain(_ marked: String) -> String {
    marked.filter { !"«»“”".contains($0) }
  }

  @Test(arguments: [
    #"{"token":"«a»","id":"b","password" : "«c\"d»"}"#, #"{"a":{"b":[{"api_key":"«x»"}]}}"#,
    #"{"pin":1,"otp":“123456”,"password":12}"#,
    #"{"token":null,"secret":true,"password":""}"#, #"{"tokens":"a","next":"b"}"#, "{'password': '«x»'}",
    #"{"credentials":{"login":"«a»","n":1,"more":["«b»",{"c":"«d»"}]},"x":"y"}"#, #"{"secrets":["a"],"secret":["«b»","«c»"]}"#,
    #""{\"token\":\"«abc»\",\"x\":\"y\"}""#, #"{"body":"{\"password\":\"«a b»\"}"}"#, #"data: {"access_token":"«x»"}"#,
    #"{"token":"«cut off»"#, #"{"token":"#, #"{"token":{"a":"«b»"#, #"{"password":"«a»"}{"password":"«b»"}"#,
    #"{"token":“-12.5e3”,"x":-12.5}"#, #"{"secret":{"a":“1234”,"b":[“-1.234”,12],"c":"«d»"},"e":1234}"#,
    #""{\"token\":“1234”,\"x\":1}""#, #""{\"secret\":{\"a\":\"«b»\",\"c\":“1234”},\"d\":\"e\"}""#,
    #""{\"a\":\"{\\\"token\\\":\\\"«b»\\\"}\"}""#, #"{"code":"«4f3a2b1c0d9e8f7a»"}"#, #"{"code":"NOT_FOUND_404"}"#,
    #"{"code":200}"#,
    "{\n  \"client_secret\":\n    \"«x»\"\n}", #"{"refreshToken": "«x»", "X-Api-Key": "«y»", "dbPassword": "«z»"}"#,
  ])
  func json(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(
    "Card numbers are values with an issuer's prefix and Luhn's check digit, in groups or not",
    arguments: [
      #"{"number":"«4111111111111111»","exp":"12/30"}"#, #"{"number": “5555555555554444”,"n":1}"#, "no=«378282246310005»&x=y",
      #"{"a":"{\"pan\":\"«6011 1111 1111 1117»\"}"}"#, "<no>«3530-1113-3330-0000»</no>", "«30569309025904»",
      "n=«4242+4242+4242+4242»",
      "n=«4242%204242%204242%204242»", "card: «2223003122003222»", "card: «6200000000000005», x",
      // Another check digit, another prefix, another length, a part of something longer.
      #"{"number":"4111111111111112"}"#, #"{"id":1234567890123452}"#, "n=41111111111111111", "n=411111111111111",
      "n=0.4111111111111111",
      "n=4111111111111111.5", "n=4111111111111111a", "t=4111-1111-1111-1111-1", "41 11 11 11 11 11 11 11",
      #"{"pin":"«1234»","pin_count":2}"#,
    ])
  func cardNumbers(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(
    arguments: [
      #"<a href="/x?token=«a»&amp;b=c&amp;sig=«d»">"#, "see https://h/p?access_token=«a b", "GET /?a=1&password=«x» HTTP/1.1",
      #""next":"https://h/?page=2\u0026token=«abc»""#, "redirect_uri=https%3A%2F%2Fh%3Ftoken%3D«abc»%26x%3Dy", "token%3D«x»",
      "password=«x»\nuser=y\nAPI_KEY=«z»", "var total=1; if (token==other) {}", "tokens=5&x=y", "?x=token", "&secret=",
    ].map { $0.replacing("«a b", with: "«a» b") })
  func parameters(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(arguments: [
    "Authorization: «Bearer abcdefgh1»\nX: y", "x\nX-Api-Key: «abc»\r\nHost: h", "password: «hunter2»", "  password: «hunter2»",
    "{password: \"«x»\", user: \"y\"}", "const apiKey = '«x»'; let token='«y»'", "if (password == 'x' || token != \"y\") {}",
    "https://h:80/a", "a: b", "a:\n  token: «x»\n", "  - token: «x y»", "- API_KEY=«x»", "export API_KEY=«x» y",
    "token = «a b»\nx = y",
    "secret: |\n  «a\n  b»\nc: d", "  token: string;", "  password: f(x)", "data: token=«x»", "env x: y",
    #""a\nAuthorization: «Bearer x»\nb""#, ":token=>\"«x»\"", "\"token\" => \"«x»\"",
  ])
  func lines(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(arguments: [
    "<Password>«x»</Password>", "<ns:SessionToken>«a/b+c»</ns:SessionToken><p>x</p>", "<token>", "<password></password>", "a>b<c",
    #"<input type="hidden" name="csrf_token" value="«abc»">"#, #"<meta name="csrf-token" content="«abc»" />"#,
    #"<input type="password" id="p" value='«x»'>"#, #"<input name="q" value="x"><input value="y">"#,
    "<input name=token value=«x»>", #"<input value="«x»" name="token">"#, "<input value=«x» type=password>",
    "<password a=\"b\">«x»</password>",
    "<password><![CDATA[«x<y»]]></password>", "<secret><a>«x»</a> <b><c>«y»</c></b></secret><d>z</d>",
    #"<u token="«x»" name="y">z</u>"#,
    #"<input token="«a»" value="«b»" name="secret">"#, "<textarea name='token'>«x»</textarea>", "<label name='token'>x</label>",
    #"{"a":"<input name=\"token\" value=\"«x»\">"}"#, "a<b && c>d", "<token/>x",
  ])
  func markup(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(arguments: [
    "«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl»", "x=«eyJhbGciOiJub25lIn0.eyJhIjoxfQ.»;", "eyJhbGciOi",
    "k«eyJhbGciOiJIUzI1NiJ9.a.b»", "keyJpbnRlZ2VyIn0.a.b",
    "Bearer «abcdefgh1»", "bearer «abcdefghijklmnopqrstuvwxyz», x", "the bearer authentication", "Bearer realm",
    "key «AKIAIOSFODNN7EXAMPLE» x", "AKIAIOSFODNN7EXAMPL", "XAKIAIOSFODNN7EXAMPLE", "«AIzaSyA1234567890abcdefghijklmnopqrstuv»",
    "«ghp_0123456789abcdefghijklmnopqrstuvwxyz»", "ghp_short", "«github_pat_0123456789abcdefghij_klmnopqrstuvwxyz»",
    "«xoxb-1234567890-abcdef»", "«glpat-0123456789abcdefghij»", "«sk_live_0123456789abcdefghij»",
    "task-0123456789012345678901234567890123",
    "-----BEGIN PRIVATE KEY-----«\nMIIE\n»-----END PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----«cut»",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "https://«user:pass»@host/x",
    "https://«tok»@host, https://host/@x",
    "mailto:a@b", "git://h/p?x=a@b",
    // Logins, lists and names that are cut in two.
    "machine h login bob password «hunter2»",
    "machine localhost\n  login bob\n  password «hunter2»\nmachine b login c password «d»",
    "machine h login bob password \"«hunter 2»\" macdef x", "default login anonymous password «me»",
    "machine learning password is hard",
    "the machine h login bob password hunter2", "<select name=token><option selected>«S»</option></select>",
    "<select name=\"api_key\">\n<option>«S»</option>\n<option selected>«T»</option></select><p>x</p>",
    "<select name=country><option selected>Norway</option></select>", "db.pass\\\nword=«S»", "api_\\\r\n  key=«S»", "a\\\nb=c",
  ])
  func shapes(expected: String) {
    #expect(marked(plain(expected)) == expected)
  }

  @Test(arguments: [
    "curl -u bob:«hunter2» https://h/?token=«x»", "curl --user bob:«x» h", "curl -H 'Authorization: «Bearer abc»' h",
    "curl -H 'X-Api-Key: «a b»' h", "tool --password «x» --verbose", "tool --token=«x» y", "API_KEY=«x» tool", "tool -u bob",
    "tool --user-agent x:y", "make test", "pytest tests/test_token.py", "curl -ubob:«hunter2» h", "curl -sSuU:«P» h",
    "curl -UU:«P» h", "curl -U U:«P» h", "curl --user=U:«P» h", "curl --proxy-user U:«P» h", "curl --proxy-user=U:«P» h",
    "curl --oauth2-bearer «abc» h", "curl --oauth2-bearer=«abc»", "curl -b 'sid=«a b»' h", "curl -bsid=«a» h",
    "curl -b jar.txt h",
    "curl --cookie 'a=«b»' h", "curl '-HX-Api-Key: «a b»' h", "curl '--header=Authorization: «x y»' h",
    "curl -H 'Cookie: «a=b»' h", "Authorization: «Bearer a1b2»", "try Authorization: «token abc» now", "Authorization: «Basic»",
    "Cookie: «a=b; c=d» e", #"Proxy-Authorization: «Digest username="a b", response="1"» x"#, "password: «hunter2» and more",
    "tool '--password=«a b&c»' x", "tool --password='«a b&c»' x", #"tool --password '«it'\''s mine»' x"#,
    "tool --password $'«a»' x",
    "curl -d 'password=«a»' h", #"curl -d '{"token":"«a»"}' h"#, "curl --pass «x» --cert f:«p» h", "docker run -e API_KEY=«x» i",
    "wget --http-password=«x» h", "curl -u 'bob:«a b»' h", "curl 'https://h/?code=«4f3a2b1c0d9e»'", "mysql -u bob", "-u",
    "--token", "http -a bob:«x» GET h", "/usr/bin/xhs -a bob:«x» h", "ab -A bob:«x» h", "oha --basic-auth bob:«x» h",
    "rsync -a host:dir d", "curl http://h -a b:c", "http -A bearer -a", "http -A bearer -a «x» h", "hey -all x",
    "npm --//h/:_authToken=«x» i",
    "docker login -u bob -p «x» h", "twine upload --username bob -p '«a b»' d", "curl -u bob:«x» -p h", "ssh -p 22 h",
    "mysql -u bob -p ", "-u b -p 1", "mysql -uroot -p«x» db", "mysqldump -h h -P 3306 '-p«a b»' db", "mysql -p db",
    "/usr/bin/mariadb -p«x»", "sshpass -p «x» ssh -p 22 h", "sshpass -p«x» ssh h", "ssh -pass h", "redis-cli -h h -a «x» GET k",
    "redis-cli -a '«a b»' PING", "sh -c 'redis-cli -a «x» PING'", "ldapsearch -x -w «x» cn=b", "zip -P «x» a.zip f",
    "zip -a a.zip f", "7z x -p«x» f", "sh -c 'curl http://localhost/a/rather/long/path/of/a/resource && redis-cli -a «x» PING'",
    "redis-cli --tls GET a:rather:long:key:in:a:cache:that:somebody:shares -a «x»",
    "sh -c 'echo aaaaaaaaaaaaaaaaaaaaredis-cli zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz -a y'",
    "redis-cli -a", "sqlcmd -S h -U sa -P «x»", "curl -w format h", "unzip -p a.zip f",
  ])
  func commandLines(expected: String) {
    #expect(marked(plain(expected), style: .commandLine) == expected)
  }

  /// Any bytes: findings are in order, within the text and do not overlap.
  @Test func noiseIsHarmless() {
    let pieces = [
      "\"token\"", ":", "{", "[", "\"", "'", "\\", "=", "&", "password", "%3D", "eyJ", ".", "-----BEGIN ", "PRIVATE KEY-----",
      "Bearer ", "<", ">", "://", "@", " ", "\n", "é", "1234567890", "ghp_", "AKIA",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3_000 {
      let text = (0..<40).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
      for style in [SecretFinder.Style.document, .commandLine] {
        var finder = SecretFinder(style: style)
        var end = 0
        while let finding = finder.next(in: Array(text.utf8).span, by: .standard) {
          #expect(finding.range.lowerBound >= end && finding.range.upperBound <= text.utf8.count && !finding.range.isEmpty)
          end = finding.range.upperBound
        }
      }
    }
  }

  /// Text that would be slow to look through if anything were looked at again and again.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      #"{"token":"#, "\"token\":[", ">", "=\"", "='", "eyJ", "-----BEGIN PRIVATE KEY-----", "token%3D", "://", "<token>", "ghp_",
      ":", "\\\"",
    ])
  func repetitionIsNotSlow(piece: String) {
    let text = Array(String(repeating: piece, count: 200_000).utf8)
    var finder = SecretFinder()
    while finder.next(in: text.span, by: .standard) != nil {}
  }
}

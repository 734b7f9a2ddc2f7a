/// Texts with a secret, `S`, in places that an audit found open. Each is one of a kind; the rules are tested by generated texts.
enum SecretTexts {
  static let all: [(type: String, texts: [String])] = [
    ("application/json", trees + pairs + spellings + inTexts),
    ("text/html", markup), ("application/xml", xml), ("application/yaml", yaml), ("text/plain", lines),
    ("application/x-www-form-urlencoded", forms), ("text/csv", ["user,password\r\nbob,S\r\n"]),
    ("text/tab-separated-values", ["user\tapi_key\nbob\tS\n"]), ("message/http", http), ("text/event-stream", events),
  ]

  private static let trees = [
    #"{"credentials":{"user":"S","password":"S","host":"S"}}"#,
    #"{"secret":{"password":"S","b":["S","S"],"token":"S","d":{"e":"S"}}}"#,
    #"{"session":{"id":"S","token":"S","user":"S","csrf":"S"}}"#, #"{"token":["S",{"token":"S","x":"S"},"S"]}"#,
    #"{"a":"{\"credentials\":{\"password\":\"S\",\"x\":\"S\"}}"}"#, #"{"credentials":{"code":"S","x":"S"}}"#,
    #"{"accounts":[{"secret":{"passphrase":"S","label":"S"}}]}"#,
  ]

  private static let events = [#"data: {"token":{"access_token":"S","refresh_token":"S","id":"S"}}"#]

  private static let pairs = [
    #"{"key":"api_key","value":"S"}"#, #"{"value":"S","name":"password"}"#, #"[["x-api-key","S"]]"#,
    #"{"op":"replace","path":"/password","value":"S"}"#, #"["Host","h","Authorization","Own S"]"#,
    #"{"headers":{"set-cookie":["zz=S; Path=/"]}}"#, #"{"cookies":[{"name":"zz","value":"S"}]}"#, #"{"cookies":{"zz":"S"}}"#,
    #"{"kty":"EC","crv":"P-256","d":"S"}"#, #"{"kty":"oct","k":"S"}"#,
  ]

  private static let spellings = [
    #"{"api_keys":["S"]}"#, #"{"recovery_codes":["S"]}"#, #"{"pass\u0077ord":"S"}"#, #"{"password*":"S"}"#,
    #"{"password_old":"S"}"#, #"{"passwordNew":"S"}"#, #"{"tokenId":"S"}"#,
    #"{"SecretString":"S"}"#, #"{"SecretBinary":"S"}"#, #"{"Plaintext":"S"}"#, #"{"signingKey":"S"}"#, #"{"encryption_key":"S"}"#,
    #"{"master_key":"S"}"#, #"{"hmac_key":"S"}"#, #"{"one_time_code":"S"}"#, #"{"access_code":"S"}"#, #"{"user_code":"S"}"#,
    #"{"sessionKey":"S"}"#, #"{"connect.sid":"S"}"#, #"{"xsrf":"S"}"#, #"{"appKey":"S"}"#, #"{"Passwort":"S"}"#,
    #"{"contraseña":"S"}"#, #"{"data":{"tls.key":"S"}}"#,
  ]

  private static let inTexts = [
    #"{"message":"login user=bob api_key=S ok"}"#, #"{"log":"a\tpassword=S"}"#, #"{"log":"GET / HTTP/1.1\rX-Api-Key: S"}"#,
    #"{"log":"a\u000aX-Api-Key: S"}"#, #"{"log":"GET /\nCookie: sid=S; a=b"}"#, #"{"log":"200\nSet-Cookie: zz=S; Path=/"}"#,
    #"{"a":"{\u0022token\u0022:\u0022S\u0022}"}"#, #"{"log":"2026 INFO auth password: S ok"}"#,
  ]

  private static let lines = [
    #"{"password" /* x */ : "S"}"#,
    "2026 INFO auth password: S ok", "User[name=bob, password=S]", "{Password:S User:bob}", "document.cookie=\"sid=S; path=/\"",
    "Your password is: S", "DB_PASSWORD=a b S", "DB_PASSWORD=a#S", "password=a;S",
    "localStorage.setItem(\"access_token\",\"S\")", "CREATE USER bob WITH PASSWORD 'S'", "ALTER USER bob IDENTIFIED BY 'S'",
    "variable \"password\" { default = \"S\" }", "a:1:{s:8:\"password\";s:18:\"S\";}", "const password = 'S'",
    "password = \"\"\"\nS\n\"\"\"", "x={credentials:{password:\"S\",y:\"S\"}}", "https://h/token/S",
    "GET /reset-password/S HTTP/1.1",
    "/x/api_key=S/y", "?hdnea=exp=1~hmac=S", "data=%257B%2522token%2522%253A%2522S%2522%257D",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nS\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nS\nPrivate-MAC: 0", "ENV DB_PASSWORD S", "PASS S\r\n",
    "{\"credentials\":{\"password\":\"S\",\"z\":\"S\"}}\n{\"credentials\":{\"password\":\"S\",\"z\":\"S\"}}",
    "X-Api-Key: S", "\u{1B}[31mpassword=S", "a%26password=S", "a=3Fpassword=S",
  ]

  private static let http = ["GET / HTTP/1.1\r\nCookie: zz=S\r\n\r\n", "HTTP/1.1 200 OK\r\nSet-Cookie: zz=S; Path=/\r\n\r\n"]

  private static let yaml = [
    "credentials:\n  user: S\n  host: S\n", "token:\n- S\n- S\n", "- name: DB_PASSWORD\n  value: S\n", "? password\n: S\n",
    "credentials: {user: bob, password: S}\n",
  ]

  private static let xml = [
    "<credentials><credentials><x>S</x></credentials><y>S</y></credentials>", "<credentials><x a=\"S\">S</x></credentials>",
    "<credentials>S<!-- S -->S</credentials>", "<dict><key>password</key><string>S</string></dict>",
  ]

  private static let markup = [
    "<th>Password</th><td>S</td>", "<dt>Password</dt><dd>S</dd>", "<button data-clipboard-text=\"S\" data-name=\"api_key\">",
    "<span class=\"api-key\">S</span>", "<div data-props=\"{&quot;apiToken&quot;:&quot;S&quot;}\">",
    "<script>const password = 'S'</script>", "<textarea id=password>S</textarea>",
    "<script>x={credentials:{password:\"S\",y:\"S\"}}</script>",
  ]

  private static let forms = [
    "pass+word=S", "a=b&to%256Ben=S", "SAMLRequest=S", "data=%257B%2522token%2522%253A%2522S%2522%257D",
  ]
}

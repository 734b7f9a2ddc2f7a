import FoundationEssentials
import TapelineCore
import Testing

@Suite struct URLRequestCURLTests {
  @Test("The command has curl -v, -X, -u, -b, -H, -d and the URL, joined by space, backslash, newline and tab")
  func layout() throws {
    var request = try URLRequest(
      url: "http://a.example/b?c=d", method: .post, headers: ["Content-Type": "text/plain", "Cookie": "a=1; b=2"])
    request.httpBody = Data("body".utf8)
    #expect(
      request.cURLDescription(credential: (user: "user", password: "pw"))
        == "$ curl -v \\\n\t-X POST \\\n\t-u user:pw \\\n\t-b \"a=1;b=2\" \\\n\t-H \"Content-Type: text/plain\" \\\n\t-d \"body\" \\\n\t"
        + "\"http://a.example/b?c=d\"")
  }

  @Test("The command names the method of a GET too")
  func method() throws {
    #expect(
      try URLRequest(url: "http://a.example/", method: .get).cURLDescription()
        == "$ curl -v \\\n\t-X GET \\\n\t\"http://a.example/\"")
  }

  @Test("The command has the session's additions unless the request overrides them")
  func sessionHeaders() throws {
    let request = try URLRequest(url: "http://a.example/", method: .get, headers: ["x": "mine"])
    let text = request.cURLDescription(sessionHeaders: ["X": "theirs", "Y": "too"])
    #expect(text.contains("-H \"Y: too\" \\\n\t-H \"x: mine\""))
    #expect(!text.contains("theirs"))
  }

  @Test(
    "Quotes are escaped; already escaped quotes are doubled first",
    arguments: [
      (#"{"a":"b"}"#, #"{\"a\":\"b\"}"#), (#"{"a":"\"b\""}"#, #"{\"a\":\"\\\"b\\\"\"}"#), (#"a\nb"#, #"a\nb"#),
    ])
  func quotes(body: String, escaped: String) throws {
    var request = try URLRequest(url: "http://a.example/", method: .post)
    request.httpBody = Data(body.utf8)
    #expect(request.cURLDescription().contains("-d \"\(escaped)\" "))
  }

  @Test(
    "No text of a request runs as a shell command",
    arguments: [
      ("$(reboot)", #"\$(reboot)"#), ("`reboot`", #"\`reboot\`"#), (#"a\"#, #"a\\"#), (#"\\"; reboot"#, #"\\\\\"; reboot"#),
      (#"\$HOME"#, #"\\\$HOME"#),
    ])
  func commands(value: String, escaped: String) throws {
    let request = try URLRequest(url: "http://a.example/", method: .get, headers: ["X": value])
    #expect(request.cURLDescription().contains("-H \"X: \(escaped)\" "))
  }

  @Test("A request without a URL has no command")
  func impossible() throws {
    var request = try URLRequest(url: "http://a.example/", method: .get)
    request.url = nil
    #expect(request.cURLDescription() == "$ curl command could not be created")
    request.url = try "/path".asURL()
    #expect(request.cURLDescription() == "$ curl command could not be created")
  }

  @Test func credentialsAreQuotedWhereAShellNeedsIt() throws {
    let request = try URLRequest(url: "http://a.example/", method: .get)
    #expect(request.cURLDescription(credential: (user: "a b", password: "$x")).contains(#"-u "a b:\$x" "#))
  }
}

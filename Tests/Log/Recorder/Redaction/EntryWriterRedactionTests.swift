internal import TapelineCore
import TapelineHAR
import TapelineHTTP
import Testing

@testable import TapelineRecorder

struct EntryWriterRedactionTests {
  @Test func noSecretReachesTheEntry() throws {
    let secret = "s3cr3t"
    var record = try ExampleExchange.make(
      method: .post, url: "http://user:\(secret)@example.com/a?token=\(secret)&x=1",
      fields: [
        ("Host", "example.com"), ("Authorization", "Bearer \(secret)"), ("Proxy-Authorization", "Basic \(secret)"),
        ("Cookie", "sid=\(secret); b=\(secret)"), ("Referer", "http://a:\(secret)@b/?password=\(secret)"),
        ("Content-Type", "application/x-www-form-urlencoded"),
      ],
      requestBody: ExampleExchange.body("client_secret=\(secret)&y=2"),
      responseFields: [("Set-Cookie", "sid=\(secret); Path=/"), ("Location", "/b?access_token=\(secret)")])
    record.requestTrailers = ["Cookie": "c=\(secret)"]
    let (entry, text) = try entry(of: record, redacts: true, includesDebug: true)
    #expect(!text.contains(secret))
    #expect(entry.request.headers[1].value.hasPrefix("Bearer SENSITIVE_"))
    #expect(entry.request.cookies.map(\.name) == ["sid", "b"])
    #expect(entry.request.cookies[0].value == entry.response.cookies[0].value)
    #expect(entry.request.queryString[0].value == entry.request.cookies[0].value)
    #expect(entry.request.queryString[1].value == "1")
    #expect(entry.request.postData?.params?[0].value == entry.request.cookies[0].value)
    #expect(entry.custom["_redacted"]?.integer == 15)
    #expect(entry.custom["_debug"]?.string?.contains("SENSITIVE_") == true)
    let (_, plain) = try TapelineRecorderTests.entry(of: record, redacts: false)
    #expect(plain.contains(secret))
  }
}

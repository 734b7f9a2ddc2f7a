import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Compared headers")
struct ComparedHeadersTests {
  private static func fields(_ lines: [(String, String)], ignoring more: [String] = []) -> [String] {
    let headers = lines.map { HARHeader(name: $0.0, value: $0.1) }
    return ComparedHeaders(headers, ignoring: IgnoredHeaders(more: more)).fields.map { "\($0.name): \($0.value)" }
  }

  @Test("Sorted by name, in lower case, lines of a name in their order")
  func order() {
    #expect(Self.fields([("Vary", "b"), ("Accept", "x"), ("vary", "a")]) == ["accept: x", "vary: b", "vary: a"])
  }

  @Test("Without what differs anyhow")
  func ignored() {
    let lines = [
      ("Date", "now"), ("ETag", "1"), ("X-Request-Id", "1"), ("x-amzn-trace-id", "1"), (":path", "/"), ("Content-Length", "1"),
      ("X-Build-Node", "3"), ("Server", "nginx"),
    ]
    #expect(Self.fields(lines) == ["server: nginx", "x-build-node: 3"])
    #expect(Self.fields(lines, ignoring: ["X-Build-*", "server"]) == [])
  }

  @Test("Without the secrets and clocks inside of the others")
  func folded() {
    #expect(
      Self.fields([
        ("Set-Cookie", "sid=31d4d96e407aad42; Path=/; Expires=Fri, 01 Jan 2027 00:00:00 GMT; HttpOnly"),
        ("Cookie", "b=2; a=1"), ("Authorization", "Bearer abc"),
        ("Content-Type", "multipart/form-data; boundary=xyz"), ("Referer", "https://h/orders/77"),
      ]) == [
        "authorization: Bearer …", "content-type: multipart/form-data; boundary=…", "cookie: a; b",
        "referer: https://h/orders/{id}",
        "set-cookie: sid=…; Path=/; Expires=…; HttpOnly",
      ])
  }
}

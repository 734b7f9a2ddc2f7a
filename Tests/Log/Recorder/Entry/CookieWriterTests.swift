import TapelineHAR
import Testing

@testable import TapelineRecorder

struct CookieWriterTests {
  private func cookies(_ write: (inout JSONWriter) -> Void) throws -> [HARCookie] {
    var writer = JSONWriter()
    writer.append(json: #"{"request":{"cookies":["#)
    write(&writer)
    writer.append(json: "]}}")
    return try HAREntry(json: writer.bytes).request.cookies
  }

  @Test func pairs() throws {
    let cookies = try cookies { CookieWriter.append(cookies: Array("a=1;b = 2 ; ;c;d=e=f;\"g\"=\"h\"".utf8).span, to: &$0) }
    #expect(cookies.map(\.name) == ["a", "b", "", "d", "\"g\""])
    #expect(cookies.map(\.value) == ["1", "2", "c", "e=f", "\"h\""])
  }

  @Test func everyAttribute() throws {
    let line =
      "a=b; PATH=/x; Domain=.a.com; expires=Tue, 15-Jan-30 21:47:38 GMT; Max-Age=5; secure; HttpOnly; SameSite=Strict; Odd"
    let cookies = try cookies { CookieWriter.append(setCookie: Array(line.utf8).span, to: &$0) }
    #expect(
      cookies == [
        HARCookie(
          name: "a", value: "b", path: "/x", domain: ".a.com", expires: "2030-01-15T21:47:38.000Z", httpOnly: true, secure: true,
          sameSite: "Strict")
      ])
  }

  @Test func aDateThatIsNoneIsAbsent() throws {
    let cookies = try cookies { CookieWriter.append(setCookie: Array("a=b; Expires=0".utf8).span, to: &$0) }
    #expect(cookies == [HARCookie(name: "a", value: "b", httpOnly: false, secure: false)])
  }

  @Test func emptyLines() throws {
    #expect(try cookies { CookieWriter.append(cookies: [UInt8]().span, to: &$0) } == [])
    #expect(try cookies { CookieWriter.append(setCookie: [UInt8]().span, to: &$0) }.map(\.name) == [""])
  }
}

import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct HTTPCookieTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private func cookie(_ field: String, host: String = "www.example.com", path: String = "/a/b", https: Bool = true) -> HTTPCookie?
  {
    HTTPCookie(field: field, host: host, path: path, isSecureOrigin: https, now: now)
  }

  @Test("4: name, value and attributes, whatever blanks and case they come with")
  func attributes() throws {
    let cookie = try #require(
      self.cookie(" id = \"a=b\" ; PATH=/x;secure ; HttpOnly; max-age=60; SameSite=Lax; Domain=.Example.com"))
    #expect((cookie.name, cookie.value) == ("id", "\"a=b\""))
    #expect((cookie.domain, cookie.includesSubdomains, cookie.path) == ("example.com", true, "/x"))
    #expect(cookie.isSecure)
    #expect(cookie.isHTTPOnly)
    #expect(cookie.expiresDate == now.addingTimeInterval(60))
    #expect("\(cookie)" == "id for *.example.com/x")
  }

  @Test("4: without attributes it is for its host, its directory, and as long as the storage")
  func defaults() throws {
    let cookie = try #require(self.cookie("id="))
    #expect((cookie.value, cookie.domain, cookie.includesSubdomains, cookie.path) == ("", "www.example.com", false, "/a"))
    #expect(cookie.expiresDate == nil)
    #expect(self.cookie("id=1", path: "/a")?.path == "/")
    #expect(self.cookie("id=1; Path=relative")?.path == "/a")
  }

  @Test(
    "4: an invalid cookie, or a cookie for another host, is left out",
    arguments: ["id", "=1", "", ";", "id=1; Domain=com", "id=1; Domain=other.example.com", "id=1; Domain=ample.com"])
  func refused(_ field: String) {
    #expect(cookie(field) == nil)
  }

  @Test("4: an address has no hosts below it, and https only is not promised in clear")
  func places() {
    #expect(cookie("id=1; Domain=0.0.1", host: "127.0.0.1") == nil)
    #expect(cookie("id=1; Domain=127.0.0.1", host: "127.0.0.1")?.includesSubdomains == false)
    #expect(cookie("id=1; Secure", https: false) == nil)
  }

  @Test(
    "4: dates in all forms that servers write",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "6 november 94 8:49:37",
    ])
  func dates(_ text: String) {
    #expect(cookie("id=1; Expires=\(text)")?.expiresDate?.timeIntervalSince1970 == 784_111_777)
  }

  @Test(
    "4: invalid dates do not parse",
    arguments: ["", "soon", "06 Nov 1994", "32 Nov 1994 08:49:37", "06 Nov 1994 24:00:00", "06 Nov 1600 08:49:37"])
  func noDates(_ text: String) throws {
    let found = try #require(cookie("id=1; Expires=\(text)"))
    #expect(found.expiresDate == nil)
  }

  @Test("4: Max-Age precedes Expires, and the end of time is far away")
  func ages() {
    let both = cookie("id=1; Max-Age=10; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(both?.expiresDate == now.addingTimeInterval(10))
    #expect(cookie("id=1; Max-Age=-1")?.expiresDate == .distantPast)
    #expect(cookie("id=1; Max-Age=99999999999999999999999")?.expiresDate ?? now > now.addingTimeInterval(1e9))
    #expect(cookie("id=1; Max-Age=soon")?.expiresDate == nil)
  }

  @Test("4: a storage keeps a limited number of cookies per domain, and drops the oldest")
  func room() {
    let storage = HTTPCookieStorage()
    for number in 0..<200 { storage.setCookie(HTTPCookie(name: "\(number)", value: "", domain: "example.com")) }
    #expect(storage.cookies.count == 180)
    #expect(storage.cookies.first?.name == "20")
    storage.deleteCookie(HTTPCookie(name: "20", value: "", domain: "example.com"))
    #expect(storage.cookies.first?.name == "21")
  }
}

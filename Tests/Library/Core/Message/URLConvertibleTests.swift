import FoundationEssentials
import TapelineCore
import Testing

@Suite struct URLConvertibleTests {
  @Test("Strings, URLs and components make URLs")
  func conversions() throws {
    let url = try #require(URL(string: "http://a.example/b?c=d"))
    var components = URLComponents()
    components.scheme = "http"
    components.host = "a.example"
    components.path = "/b"
    components.percentEncodedQuery = "c=d"
    #expect(try "http://a.example/b?c=d".asURL() == url)
    #expect(try url.asURL() == url)
    #expect(try components.asURL().absoluteString == url.absoluteString)
  }

  @Test("An invalid URL throws invalidURL with the original value")
  func refusals() {
    let error = #expect(throws: TapelineError.self) { try "http://bad host/".asURL() }
    #expect(error?.urlConvertible as? String == "http://bad host/")
    #expect(error?.isInvalidURLError == true)
    var components = URLComponents()
    components.host = "a"
    components.path = "no-slash"
    #expect(throws: TapelineError.self) { try components.asURL() }
  }
}

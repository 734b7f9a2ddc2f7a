import Testing

@testable import TapelineHAR

@Suite("URIs as text")
struct URITextTests {
  @Test(
    "What may stand in a URI stays",
    arguments: [
      "http://h/", "http://[2001:db8::1]:8080/a?b=c&d=%C3%A9", "https://u:p@h/~a;b=c,d/!$'()*+", "data:text/plain,x", "a:",
    ])
  func stays(text: String) {
    #expect(URIText.encoded(text) == text)
  }

  @Test(
    "The rest is percent-encoded",
    arguments: [
      ("http://h/a b", "http://h/a%20b"), ("http://h/?q=a|b^{}`\"<>\\", "http://h/?q=a%7Cb%5E%7B%7D%60%22%3C%3E%5C"),
      ("http://h/[x]", "http://h/%5Bx%5D"), ("http://h/%zz%4", "http://h/%25zz%254"), ("http://h/é", "http://h/%C3%A9"),
      ("http://h/\u{1}\u{7F}", "http://h/%01%7F"), ("http://[::1]/[", "http://[::1]/%5B"), ("http://é/", "http://%C3%A9/"),
      ("http://a@b@c/@", "http://a%40b@c/@"), ("http://[1.2.3.4]/", "http://%5B1.2.3.4%5D/"), ("http://[/", "http://%5B/"),
    ])
  func encoded(text: String, expected: String) {
    #expect(URIText.encoded(text) == expected)
    #expect(URIText.encoded(expected) == expected)
  }

  @Test("Parts")
  func parts() {
    #expect(URIText.withoutFragment("http://h/a#b#c") == "http://h/a")
    #expect(URIText.hasScheme("a+b-1.c:x") && !URIText.hasScheme("1a:x") && !URIText.hasScheme("/a:b") && !URIText.hasScheme(":"))
    #expect(URIText.hasHost("http://h") && !URIText.hasHost("data:x") && !URIText.hasHost("http:///x") && !URIText.hasHost("x"))
    #expect(URIText.hasValidPort("http://h:80/") && URIText.hasValidPort("http://h:/") && URIText.hasValidPort("data:x"))
    #expect(!URIText.hasValidPort("http://h:x/") && !URIText.hasValidPort("http://[::1]:8o/"))
  }
}

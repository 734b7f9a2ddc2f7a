import TapelineBase
import Testing

@Suite struct URIReferenceTests {
  private func resolve(_ reference: String, _ base: String = "http://a/b/c/d;p?q") -> String {
    URIReference(reference).resolved(against: URIReference(base)).text
  }

  @Test(
    "RFC 3986 5.4.1: the normal examples",
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
      ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"),
    ])
  func normalExamples(reference: String, expected: String) {
    #expect(resolve(reference) == expected)
  }

  @Test(
    "RFC 3986 5.4.2: the abnormal examples",
    arguments: [
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
      ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"), ("http:g", "http:g"),
    ])
  func abnormalExamples(reference: String, expected: String) {
    #expect(resolve(reference) == expected)
  }

  @Test("RFC 3986 5.2.3: an empty base path counts as a slash")
  func emptyBasePath() {
    #expect(resolve("g", "http://a") == "http://a/g")
    #expect(resolve("?y", "http://a") == "http://a?y")
    #expect(resolve("", "http://a") == "http://a")
  }

  @Test("RFC 3986 3: cutting and putting together again changes nothing but the scheme's case")
  func roundTrip() {
    for text in ["", "a:b", "//u:p@h:1/p?q#f", "p/a:b", "?", "#", "http://h?a/b#c?d", "1:2", "/a//b/", "[::1]"] {
      #expect(URIReference(text).text == text)
    }
    #expect(URIReference("HTTP://H/").text == "http://H/")
  }

  @Test("RFC 3986 3.3: a colon in a first segment that is no scheme is part of the path")
  func colonInPath() {
    #expect(URIReference("1a:b").scheme == nil)
    #expect(URIReference("a/b:c").scheme == nil)
  }

  @Test(
    "The parts as written (RFC 3986 3)",
    arguments: [
      ("http://a.example/b?c#d", "http", nil, "a.example", "/b?c"),
      ("HTTPS://u:p@a.example:8443", "https", "u:p", "a.example:8443", ""),
      ("http://a?b/c@d", "http", nil, "a", "?b/c@d"),
      ("http://u@v@h/", "http", "u@v", "h", "/"),
      ("http://[::1]:80/x", "http", nil, "[::1]:80", "/x"),
      ("http://a@\u{301}b/", "http", "a", "\u{301}b", "/"),
      ("http://a/\u{301}b", "http", nil, "a", "/\u{301}b"),
      ("mailto:a@b", "mailto", nil, nil, "a@b"),
      ("/only/a?path", nil, nil, nil, "/only/a?path"),
      ("//host/p", nil, nil, "host", "/p"),
      ("", nil, nil, nil, ""),
    ])
  func parts(text: String, scheme: String?, userinfo: String?, hostAndPort: String?, rest: String) {
    let reference = URIReference(text)
    #expect(reference.scheme == scheme)
    #expect(reference.userinfo == userinfo)
    #expect(reference.hostAndPort == hostAndPort)
    #expect(reference.pathAndQuery == rest)
  }

  @Test("What people and logs see has neither credentials nor a fragment")
  func sanitized() {
    #expect(URIReference("http://u:p@a.example/b?c#d").sanitized == "http://a.example/b?c")
    #expect(URIReference("/a#b").sanitized == "/a")
  }
}

import TapelineBase
import Testing

@Suite("Media types (RFC 9110 8.3.1)")
struct MediaTypeTests {
  @Test(
    "Bodies to be read as characters",
    arguments: [
      "text/plain", "TEXT/HTML; charset=utf-8", "application/json", "application/ld+json; a=b", "application/xml",
      "image/svg+xml", "application/javascript", "application/x-www-form-urlencoded", "application/soap+xml", "message/http",
      "application/x-ndjson", "model/gltf+json", "",
    ])
  func isText(value: String) {
    #expect(MediaType(value).isText)
  }

  @Test(
    "Bodies that are bytes",
    arguments: [
      "image/png", "application/octet-stream", "application/pdf", "font/woff2", "video/mp4", "application/jsonx", "x",
    ])
  func isNoText(value: String) {
    #expect(!MediaType(value).isText)
  }

  @Test("No type may be text")
  func empty() {
    #expect(MediaType("").isText && MediaType("").isEmpty && MediaType(" \t").isEmpty)
    #expect(MediaType(in: [], 0..<0).isText && MediaType(in: [], 0..<0).isEmpty)
  }

  @Test("Forms")
  func forms() {
    #expect(MediaType("Application/X-WWW-Form-Urlencoded ; charset=x").isForm)
    #expect(!MediaType("application/x-www-form-urlencoded2").isForm)
    #expect(MediaType("Multipart/Form-Data; boundary=x").isMultipartForm && MediaType("multipart/mixed").isMultipart)
    #expect(!MediaType("multipart/mixed").isMultipartForm && !MediaType("multipart").isMultipart)
  }

  @Test(
    "Media: nothing that text could stand in",
    arguments: [
      ("image/png", true), ("image/svg+xml", false), ("font/woff", true), ("text/css", false), ("application/pdf", false),
    ])
  func media(value: String, isMedia: Bool) {
    #expect(MediaType(value).isMedia == isMedia)
  }

  @Test(
    "The essence is in lower case and without parameters",
    arguments: [("Text/HTML ; Charset=UTF-8", "text/html"), (" a/b\t", "a/b"), ("", ""), (";x=y", ""), ("a;/b", "a")])
  func essence(value: String, essence: String) {
    #expect(MediaType(value).essence == essence)
  }

  @Test("Parameters are those behind the essence, and where the value lies among other bytes it ends there")
  func parameters() {
    #expect(MediaType("a/b; Charset=\"x\"")["charset"] == Array("x".utf8))
    #expect(MediaType("a/b")["charset"] == nil)
    let bytes = Array("Type: a/b; x=1\r\nOther: c; charset=y\r\n".utf8)
    let type = MediaType(in: bytes, 6..<14)
    #expect(type.essence == "a/b" && type["x"] == Array("1".utf8) && type["charset"] == nil)
    #expect(Array(type.text) == Array("a/b; x=1".utf8))
    #expect(MediaType(in: bytes, 6..<9).essence == "a/b")
  }
}

import TapelineHAR
import TapelineBase
import Testing

@testable import TapelineRedaction

struct EntryRedactorTests {
  private static let secret = "hunter2hunter2"
  /// An entry of another program, with a secret in every place.
  private static let entry = #"""
    {"startedDateTime":"2026-03-04T05:06:07Z","time":1,"comment":"see https://h/?token=S","request":{"method":"POST",
    "url":"https://u:S@h/a?token=S&x=1","httpVersion":"h2","cookies":[{"name":"a","value":"S"}],"headers":[{"name":"authorization",
    "value":"Bearer S"},{"name":"X-Api-Key","value":"S"},{"name":"Cookie","value":"a=S"},{"name":"Accept","value":"*/*"}],
    "queryString":[{"name":"token","value":"S"},{"name":"x","value":"1"}],"postData":{"mimeType":"multipart/form-data; boundary=b",
    "text":"--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nS\r\n--b--\r\n","params":[{"name":"password","value":"S"}]},
    "headersSize":-1,"bodySize":-1},"response":{"status":200,"statusText":"","httpVersion":"h2","cookies":[{"name":"s","value":"S"}],
    "headers":[{"name":"set-cookie","value":"s=S; Path=/"}],"content":{"size":1,"mimeType":"application/json","text":"BASE64",
    "encoding":"base64"},"redirectURL":"/?sig=S","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"send":0,"wait":1,"receive":0},
    "_initiator":{"url":"https://h/?token=S","stack":[{"password":"S"}]},"_webSocketMessages":[{"type":"send","opcode":1,
    "data":"{\"token\":\"S\"}"},{"type":"receive","opcode":2,"data":"BASE64"}],"_priority":"High","_pin":12}
    """#

  private func example() throws -> HAREntry {
    let base64 = Base64.encode(Array(#"{"password":"\#(Self.secret)"}"#.utf8))
    let text = Self.entry.replacing("S", with: Self.secret).replacing("BA\(Self.secret)E64", with: base64)
    // The letters of names come back.
    let mended = text.replacing("PO\(Self.secret)T", with: "POST").replacing("queryString", with: "queryString")
    let names = [
      "headers\(Self.secret)ize": "headersSize", "body\(Self.secret)ize": "bodySize", "query\(Self.secret)tring": "queryString",
      "_web\(Self.secret)ocketMessages": "_webSocketMessages",
    ]
    return try HAREntry(json: Array(names.reduce(mended) { $0.replacing($1.key, with: $1.value) }.utf8))
  }

  @Test func noPlaceIsForgotten() throws {
    var entry = try example()
    var redactor = EntryRedactor()
    let count = redactor.redact(&entry)
    let text = String(decoding: entry.json, as: UTF8.self)
    #expect(!text.contains(Self.secret))
    #expect(count == 18)
    #expect(entry.custom["_redacted"]?.integer == count)
    #expect(entry.request.url.hasPrefix("https://SENSITIVE_"))
    #expect(entry.request.queryString[1].value == "1")
    #expect(entry.custom["_priority"] == "High")
    #expect(entry.custom["_pin"] == 12)
    let base64 = Array(try #require(entry.response.content.text).utf8)
    let content = Base64.decode(base64.span) ?? []
    #expect(String(decoding: content, as: UTF8.self).hasPrefix(#"{"password":"SENSITIVE_"#))
    #expect(entry.request.cookies[0].value == entry.response.cookies[0].value)
  }

  @Test func againChangesNothing() throws {
    var entry = try example()
    var first = EntryRedactor()
    _ = first.redact(&entry)
    let once = entry
    var second = EntryRedactor()
    #expect(second.redact(&entry) == 0)
    #expect(entry == once)
  }

  @Test func pagesAndMembers() {
    var redactor = EntryRedactor()
    var page = HARPage(startedDateTime: "", id: "p", title: "curl -u a:\(Self.secret) h", pageTimings: HARPageTimings())
    #expect(redactor.redact(&page) == 1)
    #expect(page.title.hasPrefix("curl -u a:SENSITIVE_"))
    var member = HARObject.Member(name: "_token", value: .string(Self.secret))
    #expect(redactor.redact(&member) == 1)
    var title = "nothing"
    #expect(redactor.redact(title: &title) == 0)
    #expect(title == "nothing")
  }

  @Test("Pseudo-fields and the messages of calls, in our logs and in other programs'")
  func http2() throws {
    let json = #"""
      {"startedDateTime":"2026-03-04T05:06:07Z","time":1,"request":{"method":"GET","url":"https://h/a?token=§","httpVersion":"h2",
      "cookies":[],"headers":[{"name":":path","value":"/a?token=§"},{"name":":authority","value":"u:§@h"}],"queryString":[],
      "headersSize":-1,"bodySize":-1,"_pseudo":[{"name":":path","value":"/a?token=§&x=1"}]},"response":{"status":200,"statusText":"",
      "httpVersion":"h2","cookies":[],"headers":[{"name":"grpc-message","value":"token%3D§%0A100%25"}],"content":{"size":0,
      "mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"send":0,"wait":1,"receive":0},
      "_grpc":{"message":"token=§"}}
      """#
    var entry = try HAREntry(json: Array(json.replacing("§", with: Self.secret).utf8))
    var redactor = EntryRedactor()
    #expect(redactor.redact(&entry) > 0)
    #expect(!String(decoding: entry.json, as: UTF8.self).contains(Self.secret))
    let path = try #require(entry.request.custom["_pseudo"]?.array?.first?["value"]?.string)
    #expect(path.hasPrefix("/a?token=SENSITIVE_") && path.hasSuffix("&x=1"))
    #expect(entry.request.headers[0].value + "&x=1" == path)
    #expect(entry.request.headers[1].value.hasPrefix("SENSITIVE_") && entry.request.headers[1].value.hasSuffix("@h"))
    let message = entry.response.headers[0].value
    #expect(message.hasPrefix("token=SENSITIVE_") && message.hasSuffix("%0A100%25"))
    #expect(entry.custom["_grpc"]?["message"]?.string?.hasPrefix("token=SENSITIVE_") == true)
  }

  /// Every member that the format has, and some that it has not.
  private static let whole = #"""
    {"pageref":"p","startedDateTime":"2026-03-04T05:06:07Z","time":1,"serverIPAddress":"::1","connection":"7","comment":"c","_own":
    [{"the name of a member":"x","name":"n","value":"v"}],"request":{"method":"POST","url":"https://h/a?b=c","httpVersion":"h2",
    "cookies":[{"name":"a","value":"b","path":"/","domain":"h","expires":"2026-03-04T05:06:07Z","sameSite":"Lax","comment":"c"}],
    "headers":[{"name":"x-a","value":"b","comment":"c"}],"queryString":[{"name":"b","value":"c","comment":"c"}],"comment":"c",
    "postData":{"mimeType":"text/plain","text":"t","params":[{"name":"a","value":"b","fileName":"f","contentType":"text/plain",
    "comment":"c"}],"comment":"c"},"headersSize":-1,"bodySize":-1},"response":{"status":200,"statusText":"OK","httpVersion":"h2",
    "cookies":[{"name":"a","value":"b","path":"/"}],"headers":[{"name":"x-a","value":"b"}],"content":{"size":1,"mimeType":
    "text/plain","text":"t","comment":"c"},"redirectURL":"/n","headersSize":-1,"bodySize":-1,"comment":"c"},"cache":{"comment":"c",
    "beforeRequest":{"expires":"2026-03-04T05:06:07Z","lastAccess":"2026-03-04T05:06:07Z","eTag":"e","hitCount":1,"comment":"c"},
    "afterRequest":{"lastAccess":"2026-03-04T05:06:07Z","eTag":"e","hitCount":1}},"timings":{"send":0,"wait":1,"receive":0,
    "comment":"c"}}
    """#

  /// The value with one of its texts, or of the names of members that are no format's, replaced: that of this number.
  private static func planting(_ secret: String, at place: inout Int, in value: HARValue) -> HARValue {
    switch value {
    case .null, .bool, .number: return value
    case .string:
      place -= 1
      return place == -1 ? .string(secret) : value
    case .array(let elements):
      return .array(elements.map { planting(secret, at: &place, in: $0) })
    case .object(let object):
      var copy = object
      for index in object.members.indices {
        let member = object.members[index]
        copy.members[index].value = planting(secret, at: &place, in: member.value)
        guard member.name.contains(" ") else { continue }
        place -= 1
        if place == -1 { copy.members[index].name = secret }
      }
      return .object(copy)
    }
  }

  @Test("A secret with a known form is found in every text of an entry, names included", arguments: [false, true])
  func everyText(isEcho: Bool) throws {
    let secret = isEcho ? "Zq8Kw4LpXy7RtN2b" : "ghp_" + String(repeating: "aB3d5F7h9", count: 4)
    var tree = try HARValue(json: Array(Self.whole.utf8).span)
    if isEcho, case .object(var object) = tree {
      // A credential of the request, which any other place may repeat.
      object["_credential"] = .object(["name": .string("Authorization"), "value": .string("Bearer " + secret)])
      tree = .object(object)
    }
    var places = 0
    while true {
      var place = places
      let planted = Self.planting(secret, at: &place, in: tree)
      guard place < 0 else { break }
      places += 1
      var writer = JSONWriter()
      writer.append(value: planted)
      var entry = try HAREntry(json: writer.bytes)
      let before = String(decoding: entry.json, as: UTF8.self)
      var redactor = EntryRedactor()
      _ = redactor.redact(&entry)
      let after = String(decoding: entry.json, as: UTF8.self)
      #expect(!after.contains(secret), "\(before)")
    }
    #expect(places > 50)
  }
}

@testable import TapelineOffline
import TapelineHAR
import TapelineInspect
import TapelineTestSupport
import Testing

/// A log of another program that is written again has all that it had, and nothing else.
@Suite("Logs that are written again")
struct RewritingTests {
  private static let log = #"""
    {"_about":{"by":["x"]},"log":{"version":"1.2","creator":{"name":"WebPagetest","version":"21","_build":7},
    "browser":{"name":"Chrome","version":"1","_agent":{"x":[1]}},"comment":"c","_top":{"a":null},
    "pages":[{"id":"p","startedDateTime":"2026-11-21T12:00:00Z","title":"t","_SpeedIndex":12,"comment":"d",
    "pageTimings":{"onLoad":5,"onContentLoad":-1,"_startRender":3.5,"comment":"e"}}],
    "entries":[{"pageref":"p","startedDateTime":"2026-11-21T12:00:00.000Z","time":1.5,"_score":1,
    "request":{"method":"POST","url":"http://a.example/b?c=d","httpVersion":"HTTP/1.1","cookies":[],
    "headers":[{"name":"Accept","value":"*/*","_z":[]}],"queryString":[{"name":"c","value":"d"}],"_r":0,
    "postData":{"mimeType":"text/plain","text":"x","params":[{"name":"p","value":"v","_u":{}}],"_w":1},"headersSize":-1,"bodySize":14},
    "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
    "content":{"size":3,"compression":0,"mimeType":"text/plain","text":"abc","_v":"w"},
    "redirectURL":"","headersSize":20,"bodySize":3,"_transferSize":23},
    "cache":{"beforeRequest":{"lastAccess":"2026-11-21T12:00:00Z","eTag":"","hitCount":1,"_e":1},"_cc":1},
    "timings":{"blocked":0.5,"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":1,"receive":0,"_blocked_queueing":2},
    "serverIPAddress":"127.0.0.1","connection":"1","comment":"f"}]},"_after":1}
    """#

  /// Every value without one of its members, or with one that is null, wherever it is.
  private static func mutations(of value: HARValue) -> [HARValue] {
    var mutations: [HARValue] = []
    switch value {
    case .null, .bool, .number, .string: break
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        for mutation in Self.mutations(of: element) {
          var changed = elements
          changed[index] = mutation
          mutations.append(HARValue.array(changed))
        }
      }
    case .object(let object):
      for (index, member) in object.members.enumerated() {
        var less = object
        less.members.remove(at: index)
        mutations.append(HARValue.object(less))
        for mutation in [HARValue.null] + Self.mutations(of: member.value) {
          var changed = object
          changed.members[index].value = mutation
          mutations.append(HARValue.object(changed))
        }
      }
    }
    return mutations
  }

  /// Without the order of members.
  private static func sorted(_ value: HARValue) -> HARValue {
    switch value {
    case .null, .bool, .number, .string: value
    case .array(let elements): .array(elements.map(sorted))
    case .object(let object):
      .object(
        HARObject(
          members: object.members.map { HARObject.Member(name: $0.name, value: sorted($0.value)) }.sorted { $0.name < $1.name }))
    }
  }

  private static func value(_ path: String) throws -> HARValue {
    sorted(try HARValue(json: Array(try readText(path).utf8).span))
  }

  @Test("Whatever it lacks, nothing is lost and nothing is made up")
  func exact() throws {
    let files = try TemporaryDirectory()
    let log = try HARValue(json: Array(Self.log.utf8).span)
    let mutations = Self.mutations(of: log).filter { $0["log"]?.object != nil && $0["log"]?["entries"]?.array != nil }
    #expect(mutations.count > 150)
    for mutation in [log] + mutations {
      let text = String(decoding: mutation.json, as: UTF8.self)
      let path = try files.write(text, to: "in.har")
      let expected = Self.sorted(mutation)
      try Conversion(of: CaptureFleet([path]), to: files.path("out.har"), replacing: true).write(.har)
      #expect(try Self.value(files.path("out.har")) == expected, "\(text)")
      let bodies = BodyFiles(besideHAR: path)
      try Redaction(
        of: path, to: files.path("out.har"), replacing: true, rules: [], bodies: bodies, bodiesDirectory: nil
      ).run()
      #expect(try Self.value(files.path("out.har")) == expected, "\(text)")
      try Conversion(of: CaptureFleet([path]), to: files.path("out.har"), replacing: true).write(.ndjson)
      #expect(try Self.value(files.path("out.har")) == expected["log"]?["entries"]?.array?.first, "\(text)")
    }
  }

  @Test("A merged log has the members of its pages, and what it was made of")
  func merged() throws {
    let files = try TemporaryDirectory()
    let path = try files.write(Self.log, to: "in.har")
    try Merging.merge([path, path], to: files.path("out.har"), replacing: false, version: "1")
    let merged = try Self.value(files.path("out.har"))
    let log = Self.sorted(try HARValue(json: Array(Self.log.utf8).span))["log"]
    #expect(merged["log"]?["pages"]?.array?.first == log?["pages"]?.array?.first)
    #expect(merged["log"]?["_merged"]?.array?.first?["creator"] == log?["creator"])
    #expect(merged["log"]?["_merged"]?.array?.last?["beside"]?["_after"] == 1)
    #expect(merged["log"]?["browser"] == log?["browser"])
    #expect(merged["log"]?["entries"]?.array?.first == log?["entries"]?.array?.first)
  }

  @Test("Secrets in members of pages, creator and browser are replaced, too")
  func secrets() throws {
    let files = try TemporaryDirectory()
    let text = Self.log.replacing(#""_build":7"#, with: #""password":"s3cr3t-s3cr3t""#)
      .replacing(#""by":["x"]"#, with: #""password":"s3cr3t-s3cr3t""#)
      .replacing(#""_startRender":3.5"#, with: #""password":"s3cr3t-s3cr3t""#)
      .replacing(#""_agent":{"x":[1]}"#, with: #""password":"s3cr3t-s3cr3t""#)
    let path = try files.write(text, to: "in.har")
    try Redaction(
      of: path, to: files.path("out.har"), replacing: false, rules: [], bodies: BodyFiles(besideHAR: path), bodiesDirectory: nil
    ).run()
    let output = try readText(files.path("out.har"))
    #expect(!output.contains("s3cr3t") && output.contains("password"))
  }

  @Test("A text that cannot be written as it was is told of")
  func mended() throws {
    var texts = MendedTexts()
    #expect(texts.parts.isEmpty)
    for kind in [HARReadWarning.Kind.notUTF8, .loneSurrogate, .controlCharacter, .tooDeep, .missing] {
      texts.add(HARReadWarning(path: .log, kind: kind))
    }
    #expect(
      texts.parts == [
        "U+FFFD replaces what is not Unicode in 2 texts", "control characters are escaped in 1 text",
        "null replaces 1 value nested too deeply",
      ])
  }
}

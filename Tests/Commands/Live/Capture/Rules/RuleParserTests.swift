import TapelineBase
import TapelineHTTP
import TapelineInspect
import TapelineProxy
import TapelineSystem
import TapelineTestSupport
import TapelineTransport
import Testing

@testable import TapelineLive

/// Rules as people write them.
@Suite struct RuleParserTests {
  private static func parse(_ line: String) throws(QueryError) -> RuleParser.Parsed {
    try RuleParser.parse(line, environment: ["TOKEN": "s3cret"])
  }

  private static func answer(_ status: Int, retryAfter: Int? = nil, grpc: GRPCStatus? = nil) -> InjectionAction {
    var answer = InjectedAnswer(status: status)
    answer.retryAfter = retryAfter
    answer.grpc = grpc
    return .answer(answer)
  }

  @Test(
    "Each action, with what it needs, and its share",
    arguments: [
      ("*: delay 200ms", InjectionAction.delay(.around(.milliseconds(200), spread: .zero)), InjectionShare.all),
      ("*: delay 200ms±50ms", .delay(.around(.milliseconds(200), spread: .milliseconds(50))), .all),
      ("*: delay lognormal p50=80ms p99=1s 5%", .delay(.lognormal(p50: .milliseconds(80), p99: .seconds(1))), .fraction(0.05)),
      (#"path == "/a:b": status 503"#, answer(503), .all),
      ("method == 'GET':status 429 retry-after 1500ms first 2", answer(429, retryAfter: 2), .first(2)),
      ("*: reset 5%", .reset, .fraction(0.05)),
      ("*: timeout every 3", .timeout, .every(3)),
      ("*: block", answer(403), .all), ("*: block 403", answer(403), .all), ("*: block close", .close, .all),
      ("*: truncate 10KiB", .truncate(after: 10_240), .all),
      ("*: cut after 10 events", .cut(after: 10), .all), ("*: cut after 1 event first 2", .cut(after: 1), .first(2)),
      ("*: stall 5s", .stall(.seconds(5), after: 0), .all),
      ("*: stall 5s after 64KiB", .stall(.seconds(5), after: 65_536), .all),
      ("*: rate 50kB/s", .rate(50_000), .all),
      ("*: grpc UNAVAILABLE", answer(200, grpc: GRPCStatus(rawValue: 14)), .all),
      (
        "*: map API.example:443=127.0.0.1:8443",
        .map(Route(host: "api.example", port: 443), to: Route(host: "127.0.0.1", port: 8443)), .all
      ),
      ("*: map a.example:80=[::1]", .map(Route(host: "a.example", port: 80), to: Route(host: "::1", port: 80)), .all),
      (
        "*: map-url https://a.example/v1/=http://localhost:8080/",
        .rewrite("https://a.example/v1/", to: "http://localhost:8080/"), .all
      ),
      ("*: set request X-A: b c: d", .edit(.request, InjectedEdit(name: "X-A", value: "b c: d")), .all),
      (
        "*: set response X-A: @env:TOKEN", .edit(.response, InjectedEdit(name: "X-A", value: "s3cret", isSecret: true)), .all
      ),
      ("*: remove response ETag", .edit(.response, InjectedEdit(name: "ETag", value: nil)), .all),
    ])
  func actions(line: String, action: InjectionAction, share: InjectionShare) throws {
    let parsed = try Self.parse(line)
    #expect("\(parsed.rule.action)" == "\(action)")
    #expect(parsed.rule.share == share)
  }

  @Test("The log has the rule as it was written, without values that are secret")
  func texts() throws {
    let rule = try Self.parse(#"host == "a.example" : status 503  first 2"#).rule
    #expect(rule.line == #"host == "a.example": status 503  first 2"#)
    #expect(try Self.parse("*: set request Authorization: @env:TOKEN").rule.text == "set request Authorization")
    #expect(try Self.parse("*: remove request Accept").rule.text == "remove request Accept")
  }

  @Test(
    "A mistake has its place, its reason and a remedy",
    arguments: [
      ("", 1, "no colon"), ("delay 200ms", 12, "no colon"), (": delay 200ms", 1, "the condition is missing"),
      ("path == \"/a: delay 1s", 9, "the text that starts here has no end"),
      ("path == /a: delay 1s", 9, "the field holds text"), ("staus == 3: delay 1s", 1, "unknown field"),
      ("status >= 500: delay 1s", 1, "status is not known"), ("path ~ \"/a\" and total > 1s: reset", 17, "total is not known"),
      ("resp.header[\"x\"] == \"y\": reset", 1, "resp.header is not known"),
      ("req.body ~ \"a\": reset", 1, "req.body is not known"),
      ("host == \"a.example:80\": reset", 9, "host has no port"), ("*:", 3, "the action is missing"),
      ("*: dealy 1s", 4, "unknown action dealy"), ("*: explode", 4, "unknown action explode"),
      ("*: delay", 9, "a time is missing"), ("*: delay 200", 10, "200 is not a time"),
      ("*: delay 2KiB", 10, "2KiB is not a time"),
      ("*: delay 1s±2s", 10, "the delay could be negative"), ("*: delay 1s±x", 10, "1s±x is not a time"),
      ("*: delay lognormal", 19, "a p50 is missing"), ("*: delay lognormal 80ms p99=1s", 20, "80ms is not a p50"),
      ("*: delay lognormal p50=80ms p99=80ms", 20, "p99 is not above p50"), ("*: cut 3", 8, "cut needs a number of events"),
      ("*: cut after 0 events", 8, "cut needs a number of events"), ("*: cut after 3", 8, "cut needs a number of events"),
      ("*: stall 5s after", 18, "a size is missing"), ("*: stall 5s after 2s", 19, "2s is not a size"),
      ("*: rate 50kB", 9, "50kB is not a rate"), ("*: rate fast", 9, "fast is not a rate"),
      ("*: status", 10, "the status of a failure is missing"), ("*: status 200", 11, "200 is not the status of a failure"),
      ("*: status ok", 11, "ok is not the status"),
      ("*: status 503 retry-after soon", 27, "soon is not a time"), ("*: status 503 503", 15, "unexpected 503"),
      ("*: status 503 first", 20, "a number above 0 is missing"), ("*: status 503 first 0", 21, "0 is not a number above 0"),
      ("*: status 503 every x", 21, "x is not a number above 0"), ("*: reset 0%", 10, "0% is not a share"),
      ("*: reset 101%", 10, "101% is not a share"), ("*: truncate", 12, "a size is missing"),
      ("*: grpc OK", 9, "grpc needs"), ("*: grpc UNAVAILBLE", 9, "grpc needs"),
      ("*: map a.example:80", 8, "a.example:80 is not two places, with = between them"),
      ("*: map a.example=b", 8, "a.example is not a host and a port"), ("*: map a.example:80=b:x", 21, "b:x is not a host"),
      ("*: map-url /a=http://b/", 12, "/a is not a URL"), ("*: map-url http://a/=b", 22, "b is not a URL"),
      ("host: map a.example:80=b", 7, "map names its host itself"), ("*: set X-A: b", 8, "X-A: is not request or response"),
      ("*: set request X-A", 16, "set needs a field and its value"), ("*: set request X A: b", 16, "X A is not the name"),
      ("*: set request Host: b", 16, "Host is not a rule's to change"),
      ("*: remove response Content-Length", 20, "Content-Length is not a rule's to change"),
      ("*: set request X-A: @env:NONE", 20, "there is no variable NONE"),
      ("*: remove request", 18, "the name of a field is missing"),
      ("*: json $.a", 9, "json needs a place"), ("*: json a = 1", 9, "a is not a place"),
      ("*: json $.a = b", 14, "b is not JSON"),
      ("*: file", 8, "a path is missing"), ("*: file /does/not/exist", 9, "/does/not/exist cannot be read"),
    ])
  func mistakes(line: String, column: Int, reason: String) throws {
    let error = try #require(throws: QueryError.self) { _ = try Self.parse(line) }
    #expect(error.column == column && error.reason.contains(reason), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test("Words in any order are a rule, or a mistake that has its place in them")
  func anyWords() {
    let texts =
      #"* : host == "a.test" ' " \ path ~ and not ( ) delay 200ms ± 50ms status 503 retry-after reset block close set remove "#
      + "request X-A: b @env:TOKEN map a.test:80=b map-url http://a/=http://b/ truncate 1KiB rate 50kB/s stall after grpc OK json $.a "
      + "= 1 first every 3 5% é 1e400ms -1s 9999999999h"
    let words = texts.split(separator: " ").map(String.init)
    var random = SeededGenerator(seed: 3)
    var read = 0
    for _ in 0..<20_000 {
      var line = random.next(below: 2) == 0 ? "*: " : ""
      for _ in 0...random.next(below: 6) {
        line += words[random.next(below: words.count)] + (random.next(below: 4) == 0 ? "" : " ")
      }
      do throws(QueryError) {
        _ = try Self.parse(line)
        read += 1
      } catch {
        #expect((1...line.count + 1).contains(error.column) && !error.reason.isEmpty && !error.remedy.isEmpty, "\(line)")
      }
    }
    #expect(read > 20)
  }

  @Test("A rule for which an earlier one leaves nothing is refused")
  func contradictions() throws {
    let error = try #require(throws: (any Error).self) {
      _ = try RuleSet.rules(
        ["path == \"/a\": status 503", "path == \"/a\": delay 1s"], files: [], seed: 1, environment: [:])
    }
    #expect("\(error)".contains("an earlier rule"))
    let both = try RuleSet.rules(
      ["path == \"/a\": status 503 first 1", "path == \"/a\": delay 1s"], files: [], seed: 1, environment: [:])
    #expect(both?().rules.count == 2)
    #expect(try RuleSet.rules([], files: [], seed: 1, environment: [:]) == nil)
  }

  @Test("A file that changes is read again; a mistake in it leaves the earlier rules in place")
  func rereading() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("path == \"/a\": reset\n", to: "rules")
    let rules = try #require(try RuleSet.rules(["*: delay 1ms"], files: [file], seed: 1, environment: [:], isQuiet: true))
    let first = rules()
    #expect(first.rules.map(\.line) == ["*: delay 1ms", "path == \"/a\": reset"] && rules() === first)
    try directory.write("# None\n", to: "rules")
    #expect(rules().rules.map(\.line) == ["*: delay 1ms"])
    let second = rules()
    try directory.write("path == \"/a\": reste\n", to: "rules")
    #expect(rules() === second && rules() === second)
    try directory.write("path == \"/b\": timeout\n*: truncate 3B first 1\n", to: "rules")
    #expect(rules().rules.count == 3)
    SystemCalls.removeIfPossible(file)
    #expect(rules().rules.count == 3)
  }

  @Test("A file that has no rules yet may have some later")
  func lateRules() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("", to: "rules")
    let rules = try #require(try RuleSet.rules([], files: [file], seed: 1, environment: [:], isQuiet: true))
    #expect(rules().rules.isEmpty)
    try directory.write("*: reset\n", to: "rules")
    #expect(rules().rules.count == 1)
  }

  @Test(
    "A value in JSON is set where there is a place for it",
    arguments: [
      ("$.a = 1", #"{"a":0,"b":[1,{"c":2}]}"#, #"{"a":1,"b":[1,{"c":2}]}"#),
      ("$.b[1].c = \"x\"", #"{"a":0,"b":[1,{"c":2}]}"#, #"{"a":0,"b":[1,{"c":"x"}]}"#),
      ("$['d e'] = null", #"{"a":0}"#, #"{"a":0,"d e":null}"#), ("$[0] = {\"x\":[]}", "[1,2]", #"[{"x":[]},2]"#),
      ("$.b.c = 1", #"{"a":0}"#, nil), ("$[2] = 1", "[1,2]", nil), ("$.a = 1", "no JSON", nil), ("$.a = 1", "[1]", nil),
    ])
  func jsonEdits(edit: String, text: String, edited: String?) throws {
    let applied = try JSONEdit(edit, at: 0).applied(to: Array(text.utf8))
    #expect(applied.map { String(decoding: $0, as: UTF8.self) } == edited)
  }
}

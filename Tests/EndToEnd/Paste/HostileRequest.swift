import TapelineBase

/// A request as a stranger's capture may have it: every field says what means something to a shell, to curl or to a terminal.
struct HostileRequest {
  var method = "GET"
  var url = "http://a.test/"
  var headers: [(name: String, value: String)] = []
  var body: String?
  var isBase64 = false

  /// So many of them, the same in every run. The first are the ones that were tried against the first generation.
  static func all(_ count: Int) -> [HostileRequest] {
    var source = SeededGenerator(seed: 20_260_102)
    let known = [
      HostileRequest(method: "POST", url: "-K-", body: "url=http://a.test/\noutput=ran\n"),
      HostileRequest(url: "@ran"), HostileRequest(url: "file:///etc/passwd"), HostileRequest(url: "--output=ran"),
      HostileRequest(headers: [("@/etc/passwd", "x")]), HostileRequest(headers: [("X", "\u{1}\\'; touch ran; \\'")]),
      HostileRequest(headers: [("X", "a\r\nY: b")]), HostileRequest(headers: [("X", "a\0b")]), HostileRequest(method: "GET /"),
      HostileRequest(headers: [("X", "\u{202E}\u{2066}x")]), HostileRequest(method: "POST", body: "@/etc/passwd"),
      HostileRequest(method: "POST", body: "a\0b\n"), HostileRequest(method: "POST", body: "'; touch ran; '\n\n"),
      HostileRequest(method: "PUT", body: "$(touch ran)", isBase64: true),
      HostileRequest(method: "PUT", body: "AP8K", isBase64: true),
    ]
    return known + (known.count..<count).map { _ in HostileRequest(from: &source) }
  }

  private init(from source: inout SeededGenerator) {
    method = source.pick(["GET", "POST", "PUT", "!", "X-'`|~", "HEAD", "-K"])
    url = source.pick(["http://", "http://", "https://", "HTTP://", "http://", "", "ftp://", "-", "@"]) + "a.test/"
    url += source.text(of: source.next(below: 6) == 0 ? Self.pieces : Self.pieces.filter { !Self.hasControls($0) })
    headers = (0..<source.next(below: 4)).map {
      ("X-\($0)" + source.pick(["", "", "", "", "!", "`", "'", "|", "@"]), source.text(of: Self.pieces))
    }
    guard source.next(below: 2) == 0 else { return }
    body = source.text(of: Self.pieces + Self.lineEnds)
  }

  init(
    method: String = "GET", url: String = "http://a.test/", headers: [(name: String, value: String)] = [], body: String? = nil,
    isBase64: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.isBase64 = isBase64
  }

  private static let lineEnds = ["\n", "\n\n", "\r\n", "\0", "\r"]
  private static let pieces = [
    "a", "'", "\\", "\\'", "\"", "`touch ran`", "$(touch ran)", ";touch ran;", ">ran", "|touch ran", "!touch", "!!", "\u{1}",
    "\u{1B}[31m",
    "\u{7F}", "\u{9B}", "\u{202E}", "\u{2028}", "\t", " ", "%", "{a,b}", "[1-3]", "*", "~", "$HOME", "#", "=ls", "é", "\u{F601}",
    String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self), "/../",
    "@", "-o", "\\n", "&", "x=1",
  ]

  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }

  /// Whether HTTP, and therefore curl, can carry it: what cannot be is refused.
  var isExpressible: Bool {
    let isWeb = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) }
    let broken = headers.contains { header in
      header.name.contains { "@:/".contains($0) } || header.value.unicodeScalars.contains { "\n\r\0".unicodeScalars.contains($0) }
    }
    return isWeb && !Self.hasControls(url) && !broken && !method.contains(" ") && !(isBase64 && body?.contains("$") == true)
  }
}

extension HostileRequest {
  /// A log of these requests.
  static func capture(of requests: [HostileRequest]) -> String {
    let entries = requests.map { request in
      let headers = request.headers.map { #"{"name":\#(quoted($0.name)),"value":\#(quoted($0.value))}"# }.joined(separator: ",")
      let data = request.body.map {
        #","postData":{"mimeType":"text/plain","text":\#(quoted($0))\#(request.isBase64 ? #","_encoding":"base64""# : "")}"#
      }
      return """
        {"startedDateTime":"2026-01-02T03:04:05.000Z","time":1,"request":{"method":\(quoted(request.method)),"url":\(quoted(request.url)),
        "httpVersion":"HTTP/1.1","cookies":[],"headers":[\(headers)],"queryString":[],"headersSize":-1,"bodySize":-1\(data ?? "")},
        "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
        "content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},
        "timings":{"send":0,"wait":1,"receive":0}}
        """
    }
    return #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[\#(entries.joined(separator: ","))]}}"#
  }

  /// As JSON, every character beyond the plain ones escaped.
  private static func quoted(_ text: String) -> String {
    let units = text.utf16.map { unit -> String in
      let hex = String(unit, radix: 16)
      return #"\u"# + String(repeating: "0", count: 4 - hex.count) + hex
    }
    return "\"\(units.joined())\""
  }
}

extension SeededGenerator {
  mutating func pick(_ choices: [String]) -> String { choices[next(below: choices.count)] }

  mutating func text(of pieces: [String]) -> String {
    (0..<next(below: 7)).map { _ in pick(pieces) }.joined()
  }
}

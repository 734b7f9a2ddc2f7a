import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineRedaction
import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineRecorder

/// Time per message is linear in its size, whatever it says: each byte of a large one costs what one of four kibibytes does.
///
/// Measured is the CPU time of this thread, which other programs have no part in, and the least of several measurements. What
/// takes the square of a length would be sixty times slower even in the smaller of the two sizes, what takes its root more eight
/// times.
@Suite(.serialized) struct LinearTimeTests {
  /// Where a text stands in an exchange.
  enum Place: Sendable {
    case requestBody(String)
    case responseBody(String)
    case target
    case requestField(String)
    case responseField(String)
    case message
    case title
  }

  struct Hostile: Sendable, CustomTestStringConvertible {
    let place: Place
    /// Stands before all others, once.
    var start = ""
    let piece: String

    var testDescription: String { "\(place) \(start.prefix(40))\(piece)…" }

    func text(size: Int) -> [UInt8] {
      let piece = Array(piece.utf8)
      var text = Array(start.utf8)
      text.reserveCapacity(size + piece.count)
      while text.count < size { text += piece }
      return text
    }
  }

  private static let secret = "aaaabbbb1aaaabbbb2aaaabbbb3"
  /// One that is nothing but one piece again and again: every place of such a text begins like it.
  private static let periodic = String(repeating: "ab1c", count: 2_000)

  static let texts: [Hostile] = {
    let json = "application/json"
    let html = "text/html"
    let form = "application/x-www-form-urlencoded"
    let boundary = "multipart/form-data; boundary=b"
    let deep = #"{"a":"#
    func body(_ type: String, _ pieces: [String], start: String = "") -> [Hostile] {
      pieces.map { Hostile(place: .responseBody(type), start: start, piece: $0) }
    }
    let json1 = body(
      json,
      [
        deep, #"{"token":"#, "\"token\":[", #"{"token":{"a":1,"#, "\\\"", #"\\\"token\\\":"#, #""token":"-1"#,
        "\"token\":1234.5,",
        "[1,", #"{"password":"a1b2c3d4"},"#, "\\\\", #""token":"x\\"#, "\"code\":\"", "'", #"{"a":"b"}"#, "\"token\":   ",
      ])
    let json2 = body(json, ["1234,", "\"a\":1,", "\\\"", "{", "}"], start: #"{"credentials":{"#)
    let markup = body(
      html,
      [
        "<", "<a ", "<input name=token value=", "<input name=\"", "<a b='", "<token>", "<token><", "<token><![CDATA[", "]]>",
        "<token a=\"", "&amp;token=", ">", "<p>a</p>", "</token>", "<credentials><a>",
      ])
    let lines = body(
      "text/plain",
      [
        "token: ", "  token: |\n", "export ", "export API_KEY=", "token=\n", "data: token:", "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ", "eyJ", ".eyJa", "AKIA", "KIA", "AIza", "ghp_", "bearer ", "://a:", "://", "%3D", "token%3D%26", "%25%25",
        "\\n",
        "\n", "=", "a=", "= ", " :", "token%253D",
      ])
    let forms = [
      Hostile(place: .requestBody(form), piece: "&"), Hostile(place: .requestBody(form), piece: "a&"),
      Hostile(place: .requestBody(form), piece: "%26="), Hostile(place: .requestBody(form), piece: "a=%"),
      Hostile(place: .requestBody(boundary), piece: "--b\r\n"), Hostile(place: .requestBody(boundary), piece: "\n--"),
      Hostile(place: .requestBody(boundary), piece: "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nx\r\n"),
      Hostile(place: .requestBody(boundary), piece: "--b\r\nContent-Disposition: ;;;;\r\n\r\n"),
      Hostile(place: .requestBody("application/octet-stream"), piece: "\0\u{1}"),
      Hostile(place: .requestBody("text/plain"), piece: "a\0=\0"),
    ]
    let heads = [
      Hostile(place: .target, start: "http://h/?", piece: "&"), Hostile(place: .target, start: "http://h/?", piece: "a=%"),
      Hostile(place: .target, start: "http://h/?", piece: "token=a1&"), Hostile(place: .target, start: "http://h/", piece: "@"),
      Hostile(place: .responseField("Location"), start: "/?", piece: "&"),
      Hostile(place: .responseField("Location"), start: "/?", piece: "#"),
      Hostile(place: .responseField("Set-Cookie"), start: "a=b", piece: ";"),
      Hostile(place: .responseField("Set-Cookie"), start: "a=b", piece: "; expires="),
      Hostile(place: .requestField("Cookie"), piece: ";"), Hostile(place: .requestField("Cookie"), piece: "a=b;"),
      Hostile(place: .requestField("X-Text"), piece: "token=\""),
      Hostile(place: .requestField("Sec-WebSocket-Protocol"), piece: ","),
      Hostile(place: .requestField("Sec-WebSocket-Protocol"), piece: "token,"),
      Hostile(place: .message, piece: "\\\""), Hostile(place: .message, piece: #"{"token":"#),
      Hostile(place: .title, piece: "-u "), Hostile(place: .title, piece: "-a x "), Hostile(place: .title, piece: " -u b -p"),
      Hostile(place: .title, piece: "cookie: a; "), Hostile(place: .title, piece: "authorization: a "),
      Hostile(place: .title, piece: "--token '"), Hostile(place: .title, piece: "-"), Hostile(place: .title, piece: "'\\''"),
    ]
    let echoes = [
      Hostile(place: .responseBody("text/plain"), piece: secret), Hostile(place: .responseBody("text/plain"), piece: "aaaabbbb"),
      Hostile(place: .responseBody(json), piece: #"{"token":"aaaabbbb1x"},"#),
      Hostile(place: .responseBody("text/plain"), piece: "ab1c"),
      Hostile(place: .responseBody("text/plain"), piece: periodic + "x"),
      Hostile(place: .responseBody("text/plain"), piece: "\\"),
    ]
    return json1 + json2 + markup + lines + forms + heads + echoes
  }()

  @Test("each byte costs the same, however many there are", arguments: texts)
  func eachByteCostsTheSame(hostile: Hostile) throws {
    var least = [Double](repeating: .infinity, count: 3)
    for _ in 0..<4 {
      for (index, (size, times)) in [(4 << 10, 6), (64 << 10, 2), (Self.largest, 1)].enumerated() {
        for _ in 0..<times { least[index] = min(least[index], try Self.nanosecondsPerByte(of: hostile, size: size)) }
      }
      if least[2] <= Self.bound * min(least[0], least[1]) { return }
    }
    Issue.record("4 KiB: \(least[0]) ns/byte, 64 KiB: \(least[1]), \(Self.largest) bytes: \(least[2])")
  }

  @Test("there are sixty of them at least")
  func thereAreMany() {
    #expect(Self.texts.count >= 60)
  }

  private static let bound = 4.0

  /// Without optimisation four mebibytes of all of them take minutes: a sixteenth of that shows the same.
  private static let largest: Int = {
    #if DEBUG
      256 << 10
    #else
      4 << 20
    #endif
  }()

  private static func nanosecondsPerByte(of hostile: Hostile, size: Int) throws -> Double {
    let text = hostile.text(size: size)
    let record = try record(with: text, at: hostile.place)
    var writer = JSONWriter()
    var entryWriter = EntryWriter(
      anchor: ExampleExchange.anchor, redactor: Redactor(.standard, key: RedactionKey(1, 2)), includesDebug: false)
    let title: String? = if case .title = hostile.place { String(decoding: text, as: UTF8.self) } else { nil }
    let start = SystemClock.threadNanoseconds
    if let title { _ = entryWriter.hidden(commandLine: title) } else { _ = entryWriter.append(record, page: .first, to: &writer) }
    return Double(SystemClock.threadNanoseconds - start) / Double(text.count)
  }

  private static func record(with text: [UInt8], at place: Place) throws -> ExchangeRecord {
    // Secrets that a part of the texts repeats, or nearly.
    var requestFields = [("Host", "h"), ("Authorization", "Bearer \(secret)"), ("X-Api-Key", periodic)]
    var responseFields: [(String, String)] = []
    var url = "http://h/"
    var (request, response) = (ExampleExchange.body(""), ExampleExchange.body(""))
    let limit = text.count
    var string: String { String(decoding: text, as: UTF8.self) }
    switch place {
    case .requestBody(let type):
      requestFields.append(("Content-Type", type))
      request = ExampleExchange.body(text, limit: limit)
    case .responseBody(let type):
      responseFields.append(("Content-Type", type))
      response = ExampleExchange.body(text, limit: limit)
    case .target: url = string
    case .requestField(let name): requestFields.append((name, string))
    case .responseField(let name): responseFields.append((name, string))
    case .message, .title: break
    }
    var record = try ExampleExchange.make(
      method: .post, url: url, fields: requestFields, requestBody: request, responseFields: responseFields, responseBody: response
    )
    if case .message = place {
      record.webSocketMessages = [
        WebSocketMessage(
          instant: ExampleExchange.anchor.instant, direction: .toServer, opcode: 1, isCompressed: false, bytes: text,
          size: UInt64(text.count))
      ]
      record.webSocketMessageCount = 1
    }
    return record
  }
}

import Foundation
import TapelineTestSupport
import Testing

/// A message that is passed on. Its texts have one scalar for each byte.
struct PassedMessage {
  let text: String
  /// What goes out at the other side, if the file says it.
  let becomes: String?
  /// The content that is read from it, if the file says it.
  let content: String?
  /// What the entry notes of it, if the file says it.
  let anomalies: [String]?
  /// The method of the request, be it the message itself or what the message answers.
  let method: String
  let version: String
}

/// Messages of `Tests/Fixtures/wire`, to the byte. `scripts/lab/run compare` sends the cases among them to other proxies too.
struct WireVectors: Decodable {
  private struct Case: Decodable {
    let send: [WireText]?
    let answers: [Answer]?
    let refused: Refusal?
  }

  private struct Answer: Decodable {
    let data: WireText
  }

  private struct Refusal: Decodable {
    let kind: String
    let status: Int?
    let group: String?
  }

  /// One text in several spellings.
  private struct Family: Decodable {
    let kind: String
    let status: Int?
    let blamed: String?
    let send: WireText
    let values: [String]?
  }

  /// One text in several spellings, and what becomes of it.
  private struct Passage: Decodable {
    let send: WireText
    let becomes: WireText?
    let content: WireText?
    let anomalies: [String]?
    let method: String?
    let version: String?
    let options: [String]?
    let values: [Spelling]?
  }

  private struct Spelling: Decodable {
    let sent: String
    let becomes: String

    static let only = Spelling(sent: "", becomes: "")

    private init(sent: String, becomes: String) {
      self.sent = sent
      self.becomes = becomes
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.init(sent: text, becomes: text)
      } else {
        let texts = try container.decode([String].self)
        try #require(texts.count == 2, "a value, and what becomes of it")
        self.init(sent: texts[0], becomes: texts[1])
      }
    }
  }

  private let about: String
  private let cases: [Case]
  private let refused: [String: [Family]]?
  private let passed: [String: [Passage]]?

  /// - Parameter name: the file's, without its ending.
  static func read(_ name: String) throws -> WireVectors {
    let text = try readText("\(repositoryRoot)/Tests/Fixtures/wire/\(name).json")
    return try JSONDecoder().decode(WireVectors.self, from: Data(text.utf8))
  }

  /// The requests that are refused, of one group or those that have none, sent for the origin at an address and a port.
  func refusals(_ group: String? = nil, origin: String) -> [RefusedRequest] {
    refused(group, origin: origin) { $0.send?.first }.map { RefusedRequest($0.text, $0.kind, $0.status ?? 400) }
  }

  /// The responses that are refused, with the error's kind and origin.
  func refusedResponses(_ group: String) -> [(bytes: [UInt8], kind: String, blamed: String)] {
    refused(group) { $0.answers?.first?.data }.map { (.latin1($0.text), $0.kind, $0.blamed ?? "upstream") }
  }

  /// The messages of one group that are passed on.
  func passed(_ group: String, origin: String = "") throws -> [PassedMessage] {
    try #require(passed?[group], "there are messages of \(group)").flatMap { passage in
      (passage.values ?? [.only]).map { spelling in
        let text = passage.send.text(origin: origin, value: spelling.sent)
        return PassedMessage(
          text: text, becomes: passage.becomes?.text(origin: origin, value: spelling.becomes),
          content: passage.content?.text(origin: origin, value: spelling.becomes), anomalies: passage.anomalies,
          method: passage.method ?? (about == "requests" ? String(text.prefix { $0 != " " }) : "GET"),
          version: passage.version ?? "1.1")
      }
    }
  }

  /// The options of the proxy that passes the messages of one group on.
  func options(_ group: String) -> [String] {
    passed?[group]?.first?.options ?? []
  }

  private func refused(
    _ group: String?, origin: String = "", _ text: (Case) -> WireText?
  ) -> [(text: String, kind: String, status: Int?, blamed: String?)] {
    let compared = cases.compactMap { each -> (String, String, Int?, String?)? in
      guard let refused = each.refused, refused.group == group, let text = text(each) else { return nil }
      return (text.text(origin: origin), refused.kind, refused.status, nil)
    }
    let families = group.flatMap { refused?[$0] } ?? []
    return compared
      + families.flatMap { family in
        (family.values ?? [""]).map {
          (family.send.text(origin: origin, value: $0), family.kind, family.status, family.blamed)
        }
      }
  }
}

/// A text of the files: one character for each byte; or parts, some of which are repeated or filled up.
private struct WireText: Decodable {
  private enum Part: Decodable {
    case text(String)
    case filled(start: String, unit: String, end: String, count: Int)

    private enum Key: String, CodingKey { case `repeat`, times, start = "from", fill, end = "until", count = "to" }

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        self = .text(try decoder.singleValueContainer().decode(String.self))
        return
      }
      if container.contains(.fill) {
        self = .filled(
          start: try container.decode(String.self, forKey: .start), unit: try container.decode(String.self, forKey: .fill),
          end: try container.decode(String.self, forKey: .end), count: try container.decode(Int.self, forKey: .count))
      } else {
        let unit = try container.decode(String.self, forKey: .repeat)
        self = .text(String(repeating: unit, count: try container.decode(Int.self, forKey: .times)))
      }
    }

    func text(_ resolve: (String) -> String) -> String {
      switch self {
      case .text(let template): return resolve(template)
      case .filled(let start, let unit, let end, let count):
        let (start, end) = (resolve(start), resolve(end))
        let room = count - start.unicodeScalars.count - end.unicodeScalars.count
        return start + String(repeating: unit, count: room) + end
      }
    }
  }

  private let parts: [Part]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      parts = [.text(text)]
    } else {
      // A step that sends nothing has no parts: it waits, or ends the client's direction.
      parts = (try? container.decode([Part].self)) ?? []
    }
  }

  func text(origin: String, value: String = "") -> String {
    let port = origin.split(separator: ":").last.flatMap { Int($0) } ?? 0
    return parts.map { part in
      part.text {
        $0.replacing("{value}", with: value).replacing("{origin}", with: origin)
          .replacing("{port}", with: String(port)).replacing("{wrapped}", with: String(port + 65_536))
      }
    }
    .joined()
  }
}

/// Each request that is refused, of one group of a file or of none, is refused as the file says.
func expectRefused(vectors file: String, _ group: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let vectors = try WireVectors.read(file)
  #expect(!vectors.refusals(group, origin: "127.0.0.1:1").isEmpty, "\(file) has such requests", sourceLocation: sourceLocation)
  try expectRefused(sourceLocation: sourceLocation) { vectors.refusals(group, origin: $0) }
}

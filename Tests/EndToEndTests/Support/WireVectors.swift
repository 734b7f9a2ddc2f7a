import Foundation
import TapelineTestSupport
import Testing

/// Messages of `Tests/Fixtures/wire`, to the byte. `scripts/lab compare` sends the cases among them to other proxies too.
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
    let send: WireText
    let values: [String]?
  }

  private let cases: [Case]
  private let refused: [String: [Family]]?

  /// - Parameter name: the file's, without its ending.
  static func read(_ name: String) throws -> WireVectors {
    let text = try readText("\(repositoryRoot)/Tests/Fixtures/wire/\(name).json")
    return try JSONDecoder().decode(WireVectors.self, from: Data(text.utf8))
  }

  /// The requests that are refused, of one group or those that have none, sent for the origin at an address and a port.
  func refusals(_ group: String? = nil, origin: String) -> [RefusedRequest] {
    refused(group, origin: origin) { $0.send?.first }.map { RefusedRequest($0.text, $0.kind, $0.status ?? 400) }
  }

  /// The responses that are refused, with the error's kind.
  func refusedResponses(_ group: String) -> [(bytes: [UInt8], kind: String)] {
    refused(group) { $0.answers?.first?.data }.map { (.latin1($0.text), $0.kind) }
  }

  private func refused(
    _ group: String?, origin: String = "", _ text: (Case) -> WireText?
  ) -> [(text: String, kind: String, status: Int?)] {
    let compared = cases.compactMap { each -> (String, String, Int?)? in
      guard let refused = each.refused, refused.group == group, let text = text(each) else { return nil }
      return (text.text(origin: origin), refused.kind, refused.status)
    }
    let families = group.flatMap { refused?[$0] } ?? []
    return compared
      + families.flatMap { family in
        (family.values ?? [""]).map { (family.send.text(origin: origin, value: $0), family.kind, family.status) }
      }
  }
}

/// A text of the files: one character for each byte; or parts, some of which are repeated.
private struct WireText: Decodable {
  private struct Part: Decodable {
    let text: String

    private enum Key: CodingKey { case `repeat`, times }

    init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: Key.self) {
        let unit = try container.decode(String.self, forKey: .repeat)
        text = String(repeating: unit, count: try container.decode(Int.self, forKey: .times))
      } else {
        text = try decoder.singleValueContainer().decode(String.self)
      }
    }
  }

  private let template: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      template = text
    } else if let parts = try? container.decode([Part].self) {
      template = parts.map(\.text).joined()
    } else {
      // A step that sends nothing: it waits, or ends the client's direction.
      template = ""
    }
  }

  func text(origin: String, value: String = "") -> String {
    let port = origin.split(separator: ":").last.flatMap { Int($0) } ?? 0
    return template.replacing("{value}", with: value).replacing("{origin}", with: origin)
      .replacing("{port}", with: String(port)).replacing("{wrapped}", with: String(port + 65_536))
  }
}

/// Each request that is refused, of one group of a file or of none, is refused as the file says.
func expectRefused(vectors file: String, _ group: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let vectors = try WireVectors.read(file)
  #expect(!vectors.refusals(group, origin: "127.0.0.1:1").isEmpty, "\(file) has such requests", sourceLocation: sourceLocation)
  try expectRefused(sourceLocation: sourceLocation) { vectors.refusals(group, origin: $0) }
}

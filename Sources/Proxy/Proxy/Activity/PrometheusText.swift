/// Metrics in the text format that Prometheus and its kin read (exposition format 0.0.4).
package struct PrometheusText: Sendable {
  package enum Kind: String, Sendable {
    case counter
    case gauge
    case histogram
  }

  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  package private(set) var text = ""

  package init() {}

  /// Begins a metric; its samples follow.
  ///
  /// - Parameter help: one line.
  package mutating func begin(_ name: String, _ kind: Kind, help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  package mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger) {
    append(name, labels, "\(value)")
  }

  package mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
    append(name, labels, "\(value)")
  }

  /// A metric with one sample.
  package mutating func single(_ name: String, _ kind: Kind, help: String, _ value: some BinaryInteger) {
    begin(name, kind, help: help)
    sample(name, [], value)
  }

  private mutating func append(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
    return text
  }
}

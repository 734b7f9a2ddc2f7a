import TapelineTestSupport

extension RawMessage {
  /// The second word of a request line.
  var target: String { startLine.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}

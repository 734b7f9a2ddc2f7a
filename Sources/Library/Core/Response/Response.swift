internal import FoundationEssentials
public import TapelineTransport

/// The common part of the four responses: the transport's measurements.
///
/// A member that several value types share goes here, with a default implementation: the conforming types need not repeat it.
public protocol Response: Sendable {
  /// The slot for the measurements. Read `metrics`, and write by `add(_:)`.
  var _metrics: (any Sendable)? { get set }

  /// Puts measurements into the slot; ignores a value of any other type.
  mutating func add(_ metrics: (any Sendable)?)
}

extension Response {
  public mutating func add(_ metrics: (any Sendable)?) {
    guard let metrics = metrics as? TaskMetrics else { return }
    _metrics = metrics
  }

  /// The transport's measurements of the last attempt; `nil` without an attempt.
  public var metrics: TaskMetrics? { _metrics as? TaskMetrics }
}

extension DataResponse {
  /// Everything over several lines: request and response with their fields and, where they are text, their bodies; durations;
  /// result.
  public var verboseDescription: String {
    guard let request else { return "[Request]: None\n[Result]: \(result)" }
    var lines = VerboseDescription.lines(of: request)
    lines += VerboseDescription.lines(of: response)
    if let response { lines += VerboseDescription.lines(of: data, headers: response.headers).indented }
    lines += VerboseDescription.lines(
      networkDuration: metrics.map { _ in timeline.requestDuration }, serializationDuration: serializationDuration)
    return (lines + ["[Result]: \(result)"]).joined(separator: "\n")
  }
}

extension DownloadResponse {
  /// Everything over several lines: request and response with their fields; the file; durations; result.
  public var verboseDescription: String {
    guard let request else { return "[Request]: None\n[Result]: \(result)" }
    var lines = VerboseDescription.lines(of: request)
    lines += VerboseDescription.lines(of: response)
    lines += [
      "[File URL]: \(fileURL?.path ?? "None")", "[Resume Data]: \(resumeData.map { "\($0.count) bytes" } ?? "None")",
    ]
    lines += VerboseDescription.lines(
      networkDuration: metrics.map { _ in timeline.requestDuration }, serializationDuration: serializationDuration)
    return (lines + ["[Result]: \(result)"]).joined(separator: "\n")
  }
}

/// The parts of a verbose description, line by line.
private enum VerboseDescription {
  /// A body is printed if its type contains one of these and its length in bytes is at most `longestBody`.
  private static let printableTypes = ["json", "xml", "text"]
  private static let longestBody = 100_000

  static func lines(of request: URLRequest) -> [String] {
    ["[Request]: \(request.method.rawValue) \(request)"] + lines(of: request.headers).indented
      + lines(of: request.httpBody, headers: request.headers).indented
  }

  static func lines(of response: HTTPURLResponse?) -> [String] {
    guard let response else { return ["[Response]: None"] }
    return ["[Response]:"] + ["[Status Code]: \(response.statusCode)"].indented + lines(of: response.headers).indented
  }

  static func lines(of data: Data?, headers: HTTPHeaders) -> [String] {
    guard let data, !data.isEmpty else { return ["[Body]: None"] }
    let type = headers["Content-Type"] ?? ""
    guard data.count <= longestBody, printableTypes.contains(where: type.contains) else { return ["[Body]: \(data.count) bytes"] }
    var text = String(decoding: data, as: UTF8.self)[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return ["[Body]:"]
      + text.drop(while: \.isWhitespace).split(separator: "\n", omittingEmptySubsequences: false).map(String.init).indented
  }

  static func lines(networkDuration: TimeInterval?, serializationDuration: TimeInterval) -> [String] {
    [
      "[Network Duration]: \(networkDuration.map { secondsText($0) + "s" } ?? "None")",
      "[Serialization Duration]: \(secondsText(serializationDuration))s",
    ]
  }

  private static func lines(of headers: HTTPHeaders) -> [String] {
    headers.isEmpty ? ["[Headers]: None"] : ["[Headers]:"] + headers.sorted().map(\.description).indented
  }
}

extension [String] {
  /// Each line, indented by four more spaces.
  fileprivate var indented: [String] { map { "    " + $0 } }
}

/// The five lines of a response's debug description. `byteCount` is the size of the body, kept or not.
func responseDebugText(
  request: URLRequest?, response: HTTPURLResponse?, byteCount: UInt64, result: String, timeline: Timeline
) -> String {
  [
    requestDebugLine(request),
    responseDebugLine(response),
    "[Data]: \(byteCount) bytes",
    "[Result]: " + result,
    "[Timeline]: " + timeline.debugDescription,
  ].joined(separator: "\n")
}

func requestDebugLine(_ request: URLRequest?) -> String {
  "[Request]: " + (request.map { "\($0.method.rawValue) \($0)" } ?? "nil")
}

func responseDebugLine(_ response: HTTPURLResponse?) -> String {
  "[Response]: " + (response.map { "\($0)" } ?? "nil")
}

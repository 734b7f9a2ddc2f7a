internal import ArgumentParser

/// The parts of an exchange that `show` prints.
enum ExchangeView: EnumerableFlag {
  case headers
  case body
  case requestBody
  case raw
  case curl
  case debug
  case json

  /// Whether bodies are part of it; `json` is the entry as the log has it.
  var hasBodies: Bool {
    switch self {
    case .body, .requestBody, .raw, .curl: true
    case .headers, .debug, .json: false
    }
  }

  static func help(for view: ExchangeView) -> ArgumentHelp? {
    switch view {
    case .headers: "Both heads, as they went over the wire."
    case .body: "The response body alone, byte for byte."
    case .requestBody: "The request body alone, byte for byte."
    case .raw: "Both messages as recorded, byte for byte, nothing laid out or cut off."
    case .curl: "A curl command line that sends the request again."
    case .debug: "The response debug description, with the full timeline."
    case .json: "The entry as JSON, in one line."
    }
  }
}

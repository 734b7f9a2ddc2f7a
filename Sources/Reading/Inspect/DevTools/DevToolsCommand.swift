package import TapelineHAR
internal import TapelineBase

/// A command of the DevTools protocol, which is JSON: `{"id": 1, "method": "Network.enable", "params": {}}`.
package struct DevToolsCommand: Sendable {
  package enum Action: Sendable, Hashable {
    /// Exchanges are told from now on, those before first.
    case enableNetwork
    case disableNetwork
    /// The body of a response, or of a request, by the identifier that the exchange was told with.
    case responseBody(String)
    case requestBody(String)
    /// The panel belongs to a page: ours is empty.
    case resourceTree
    /// Domains in which nothing ever happens here.
    case acknowledge
    case unknown
  }

  package let action: Action
  private let id: HARValue
  private let method: String

  /// `nil` for text that is not a command.
  package init?(_ bytes: [UInt8]) {
    guard let value = Self.value(of: bytes), let id = value["id"], id.integer != nil, let method = value["method"]?.string else {
      return nil
    }
    self.id = id
    self.method = method
    let request = value["params"]?["requestId"]?.string ?? ""
    action =
      switch method {
      case "Network.enable": .enableNetwork
      case "Network.disable": .disableNetwork
      case "Network.getResponseBody": .responseBody(request)
      case "Network.getRequestPostData": .requestBody(request)
      case "Page.getResourceTree": .resourceTree
      case "Runtime.runIfWaitingForDebugger": .acknowledge
      default: method.hasSuffix(".enable") || method.hasSuffix(".disable") ? .acknowledge : .unknown
      }
  }

  private static func value(of bytes: [UInt8]) -> HARValue? {
    do throws(HARReadError) {
      return try HARValue(json: bytes.span)
    } catch {
      return nil
    }
  }

  // MARK: Answers

  package func answer(_ result: HARObject = [:]) -> HARValue {
    ["id": id, "result": .object(result)]
  }

  /// - Parameter text: for a person.
  package func refusal(_ text: String) -> HARValue {
    error(code: -32_000, text)
  }

  /// The command is not among those that tapeline knows.
  package var unknownMethod: HARValue {
    error(code: -32_601, "'\(method)' wasn't found")
  }

  /// To what is no command.
  package static var parseError: HARValue {
    ["error": ["code": -32_700, "message": "a message must be a JSON object with an id and a method"]]
  }

  private func error(code: Int, _ message: String) -> HARValue {
    ["id": id, "error": ["code": .number(HARNumber(code)), "message": .string(message)]]
  }

  /// The page of the panel.
  package var resourceTree: HARValue {
    answer([
      "frameTree": [
        "frame": [
          "id": "tapeline", "loaderId": "tapeline", "url": "about:blank", "domainAndRegistry": "", "securityOrigin": "://",
          "securityOriginDetails": [:], "mimeType": "text/html", "secureContextType": "Secure",
          "crossOriginIsolatedContextType": "NotIsolated", "gatedAPIFeatures": [],
        ],
        "resources": [],
      ]
    ])
  }

  /// The body of the exchange, as far as the log has it.
  ///
  /// - Parameter limit: bytes of a body's text that go out at most.
  package func body(of entry: HAREntry, limit: Int) -> HARValue {
    let isRequest = if case .requestBody = action { true } else { false }
    let name = isRequest ? "postData" : "body"
    switch isRequest ? LoggedBody(request: entry.request) : LoggedBody(response: entry.response) {
    case .empty: return answer([name: "", "base64Encoded": false])
    case .notRecorded, .inFile, .damaged: return refusal("the log does not have this body")
    case .bytes(let bytes):
      guard bytes.count <= limit else { return refusal("the body is too long for the panel: tapeline show --body prints it") }
      let isBase64 =
        isRequest ? entry.request.postData?.isBase64 == true : entry.response.content.encoding?.lowercased() == "base64"
      let text = isBase64 ? nil : String(validating: bytes, as: UTF8.self)
      return answer([name: .string(text ?? Base64.encode(bytes)), "base64Encoded": .bool(text == nil)])
    }
  }
}

internal import TapelineBase

/// The error of an operation that the body of a response reports, whatever its status says: GraphQL (specification, section 7) or
/// JSON-RPC 2.0 (section 5.1), also of one operation in a batch, or of one event of an event stream (MCP, GraphQL over SSE).
///
/// A body says nothing if it was not kept, is not whole, or has another shape.
package struct OperationError: Sendable, Hashable {
  package enum Language: Sendable, Hashable {
    case graphQL
    case jsonRPC
  }

  package let language: Language
  /// The code of the first error; GraphQL has none.
  package let code: Int?
  /// The message of the first error.
  package let message: String
  /// How many errors there are.
  package let count: Int

  /// A body without one of these, as a log spells it, reports no error.
  static let responseHints = [TextHint(#"\"error"#)]
  /// A body without one of these, as a log spells it, asks for no operation.
  static let requestHints = [
    TextHint(#"\"query\""#), TextHint(#"\"persistedQuery\""#), TextHint(#"\"operationName\""#), TextHint(#"\"documentId\""#),
    TextHint(#"\"jsonrpc\""#),
  ]

  private static let hint = TextHint(#""error"#)

  package init?(_ request: HARRequest, _ response: HARResponse) {
    let content = response.content
    guard let text = content.text, content.unreadText == 0, content.encoding == nil else { return nil }
    self.init(
      text.utf8.span, type: content.mimeType, url: request.url,
      isAskedFor: request.postData.map { data in
        guard let text = data.text, data.unreadText == 0, data.custom[.encoding] == nil else { return false }
        return Self.isAskedFor(by: text.utf8.span, type: data.mimeType)
      } ?? false)
  }

  /// - Parameters:
  ///   - body: of the response, whole, without its codings.
  ///   - type: its media type.
  ///   - isAskedFor: whether the request asks for an operation of GraphQL.
  package init?(
    _ body: Span<UInt8>, type: @autoclosure () -> String, url: @autoclosure () -> String, isAskedFor: @autoclosure () -> Bool
  ) {
    guard let report = Self.report(body, type: type()), let language = report.language else { return nil }
    switch language {
    case .jsonRPC: break
    // Other interfaces report `errors`, too.
    case .graphQL: guard isAskedFor() || Self.isGraphQL(type: type(), url: url()) else { return nil }
    }
    self.language = language
    (code, message, count) = (report.code, report.message, report.count)
  }

  /// Most bodies are neither JSON nor events, and their first byte says so before all of them is looked through.
  private static func report(_ body: Span<UInt8>, type: @autoclosure () -> String) -> OperationReport? {
    guard let start = body.indices.first(where: { !JSONBytes.isWhiteSpace(body[$0]) }) else { return nil }
    switch body[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return body.has(hint) ? try? OperationReport(body) : nil
    // `data`, `event`, `id`, `retry`, a comment, or a byte order mark (HTML, server-sent events).
    case UInt8(ascii: "d"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "r"), UInt8(ascii: ":"), 0xEF:
      return body.has(hint) && MediaType(type()).essence == "text/event-stream" ? OperationReport(events: body) : nil
    default:
      return nil
    }
  }

  // MARK: Evidence

  /// Whether the body of a request is an operation of GraphQL over HTTP, or an array of them.
  package static func isAskedFor(by body: Span<UInt8>, type: String) -> Bool {
    RequestedOperation.all(in: body, type: type).contains { $0.language == .graphQL }
  }

  private static func isGraphQL(type: String, url: String) -> Bool {
    if MediaType(type).essence == "application/graphql-response+json" { return true }
    let path = url.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").dropFirst(2).contains { $0.lowercased() == "graphql" || $0.lowercased() == "gql" }
  }
}

internal import FoundationEssentials
internal import TapelineCoding

/// Undoes the content codings (RFC 9110 8.4) of a body that is kept in memory, where the library asked for them.
enum ContentDecoding {
  /// The longest decoded body, in bytes: a small encoded body can expand without end.
  static let longestBody = 1 << 30

  /// The request with the library's `Accept-Encoding`; `nil` when it has its own, so that its sender decodes, or when it asks for
  /// a range, which would be a range of the encoded bytes (RFC 9110 14.1.2).
  static func negotiating(_ request: URLRequest) -> URLRequest? {
    guard !request.headers.contains(name: "Accept-Encoding"), !request.headers.contains(name: "Range") else { return nil }
    var request = request
    request.headers.append(.defaultAcceptEncoding)
    return request
  }

  /// Whether the response names a coding that we can undo.
  static func isNeeded(for response: HTTPURLResponse) -> Bool {
    !codings(of: response).isEmpty
  }

  /// The body as it was before the codings of `response`.
  static func decode(_ body: Data, as response: HTTPURLResponse) throws(TapelineError) -> Data {
    let output: ContentDecoder.Output
    do {
      output = try ContentDecoder().decode(Array(body), codings(of: response), limit: longestBody)
    } catch {
      throw failure(error.text)
    }
    if output.isPartial {
      throw failure(output.bytes.count >= longestBody ? "it grows beyond \(longestBody) bytes" : "it ends too early")
    }
    return Data(output.bytes)
  }

  /// If the list has an unknown name in it, nothing can be undone: the body stays as it is.
  private static func codings(of response: HTTPURLResponse) -> [ContentCoding] {
    do {
      return try ContentCoding.list(in: response.head.fields)
    } catch {
      return []
    }
  }

  private static func failure(_ problem: String) -> TapelineError {
    .responseSerializationFailed(reason: .inputDataDecodingFailed(problem: problem))
  }
}

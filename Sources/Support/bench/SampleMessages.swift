import TapelineHTTP

/// The exchange that the benchmarks repeat: the request of a browser-like client and nginx's response, with 1 KiB of text.
enum SampleMessages {
  static let request = bytes(
    """
    GET http://origin.example:8080/assets/stories/2026/summary.txt?edition=7&lang=en HTTP/1.1
    Host: origin.example:8080
    User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8
    Accept-Language: en-GB,en;q=0.5
    Accept-Encoding: gzip, deflate
    Referer: http://origin.example:8080/assets/stories/
    Cookie: theme=dark; session=0123456789abcdef
    Proxy-Connection: keep-alive

    """)

  static let response = bytes(
    """
    HTTP/1.1 200 OK
    Server: nginx/1.22.1
    Date: Sat, 21 Nov 2026 09:41:07 GMT
    Content-Type: text/plain; charset=utf-8
    Content-Length: 1024
    Last-Modified: Sat, 21 Nov 2026 08:00:00 GMT
    Connection: keep-alive
    ETag: "69203a40-400"
    Cache-Control: max-age=3600
    Accept-Ranges: bytes

    """)

  static let body = Array(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 23).utf8.prefix(1024))

  static func requestHead() throws -> RequestHead {
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    guard case .requestHead(let head) = try connection.receive(request.span, from: &offset) else {
      preconditionFailure("the sample request is complete")
    }
    return head
  }

  static func responseHead() throws -> ResponseHead {
    var connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: .get)
    var offset = 0
    guard case .responseHead(let head) = try connection.receive(response.span, from: &offset) else {
      preconditionFailure("the sample response is complete")
    }
    return head
  }

  /// The head whose lines are `text`, with the empty line that ends it.
  private static func bytes(_ text: String) -> [UInt8] {
    (text + "\n").utf8.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
  }
}

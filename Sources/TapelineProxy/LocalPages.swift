internal import TapelineHTTP

/// Answers requests that are for the proxy itself (origin-form, or our own authority in the target).
enum LocalPages {
  static func reply(to head: RequestHead, authority: String) -> LocalReply {
    var target: [UInt8] = []
    head.appendOriginForm(into: &target)
    let path = String(decoding: target, as: UTF8.self)
    guard path == "/" else {
      return LocalReply(status: 404, text: "tapeline has no page at \(printable(path)); see / for help.", proxyError: nil)
    }
    guard head.method == .get || head.method == .head else {
      return LocalReply(status: 405, text: "This page can only be read (GET or HEAD).", proxyError: nil)
    }
    return LocalReply(
      status: 200,
      text: """
        This is tapeline, a forwarding proxy that records request timelines. It is listening here.

        Use it:   export HTTP_PROXY=http://\(authority) HTTPS_PROXY=http://\(authority)
        Or:       curl -x http://\(authority) http://example.com/
        """,
      proxyError: nil)
  }

  /// A text of a request as it may stand in a page: printable ASCII only, of bounded length.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
  }
}

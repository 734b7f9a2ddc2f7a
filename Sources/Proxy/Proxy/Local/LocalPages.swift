internal import TapelineHTTP
internal import TapelineTLS

/// The answers to requests for the proxy itself (origin-form, or our own authority in the target). Nothing here changes anything,
/// except that the live page can mark a moment.
struct LocalPages {
  enum Page {
    case reply(LocalReply)
    /// Its numbers must be gathered first.
    case metrics
    /// It is served elsewhere, with its events.
    case live
  }

  /// Where the client has found us, for the client's settings.
  let authority: String
  /// The certificate that clients trust; `nil` when HTTPS is not decrypted.
  let certificate: AuthorityCertificate?
  /// `nil` for clients that may not see the numbers.
  let activity: ProxyActivity?
  var livePage = LivePageLink.none

  func page(for head: RequestHead) -> Page {
    let path = Self.path(of: head)
    if livePage != .none, LocalVisit.isVisited(path) { return .live }
    guard head.method == .get || head.method == .head else {
      var reply = LocalReply(status: 405, text: "tapeline: this page can only be read (GET or HEAD).", proxyError: nil)
      reply.fields.append(("Allow", "GET, HEAD"))
      return .reply(reply)
    }
    switch path {
    case "/": return .reply(start(for: head))
    case "/proxy.pac":
      return .reply(LocalReply(page: Array(autoConfiguration.utf8), mediaType: "application/x-ns-proxy-autoconfig"))
    case "/ca.pem": return .reply(certificatePage { LocalReply(page: Array($0.pem.utf8), mediaType: "application/x-pem-file") })
    case "/ca.crt": return .reply(certificatePage { LocalReply(page: $0.der, mediaType: "application/x-x509-ca-cert") })
    case "/healthz": return .reply(LocalReply(page: Array("ok\n".utf8), mediaType: "text/plain; charset=utf-8"))
    case "/metrics": return .metrics
    default:
      return .reply(
        LocalReply(
          status: 404, text: "tapeline: there is no page at \(Self.printable(path)); / lists the pages.", proxyError: nil))
    }
  }

  /// A page with links for browsers, lines for everybody else.
  private func start(for head: RequestHead) -> LocalReply {
    var reply =
      Self.wantsHTML(head)
      ? BrowserPage(authority: authority, certificate: certificate, activity: activity, livePage: livePage).reply
      : LocalReply(page: Array(help.utf8), mediaType: "text/plain; charset=utf-8")
    reply.fields.append(("Vary", "Accept"))
    return reply
  }

  /// Whether `Accept` names HTML (RFC 9110 12.5.1), as browsers do. Programs that take anything say `*/*`.
  private static func wantsHTML(_ head: RequestHead) -> Bool {
    head.fields.values(of: .accept).contains { value in
      value.split(separator: ",").contains { range in
        let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        return parts.first == "text/html"
          && !parts.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { "q=0.".contains($0) } }
      }
    }
  }

  private var help: String {
    """
    This is tapeline, a forwarding proxy that records request timelines. It is listening here.

    Use it:      export HTTP_PROXY=http://\(authority) HTTPS_PROXY=http://\(authority)
    Or:          curl -x http://\(authority) http://example.com/
    In a browser, as the automatic proxy configuration: http://\(authority)/proxy.pac

    HTTPS:       \(certificate == nil ? "tunnelled and timed, not decrypted" : "decrypted for clients that trust /ca.pem (or /ca.crt)")
    \(state)
    Pages:       \(livePage == .none ? "" : "/live  /devtools  ")/proxy.pac  /ca.pem  /ca.crt  /healthz  /metrics

    """
  }

  private var state: String {
    guard let activity else { return "" }
    return """
      Now:         \(activity.inFlight) in flight, \(activity.openTunnels) tunnels, \(activity.clientConnections) clients
      Since start: \(activity.begun) requests

      """
  }

  /// It offers no way around the proxy: unrecorded exchanges would silently be missing from the log.
  private var autoConfiguration: String {
    """
    function FindProxyForURL(url, host) {
      return "PROXY \(authority)";
    }

    """
  }

  private func certificatePage(_ page: (AuthorityCertificate) -> LocalReply) -> LocalReply {
    guard let certificate else {
      return LocalReply(
        status: 404, text: "tapeline: HTTPS is not decrypted, so there is nothing to trust; record with --intercept.",
        proxyError: nil)
    }
    return page(certificate)
  }

  /// Whether the request is for a page of ours, or for the icon that browsers ask for. A program that takes the proxy for its
  /// server asks for others.
  static func hasPage(for head: RequestHead) -> Bool {
    let path = path(of: head)
    return names.contains(path) || LocalVisit.isVisited(path)
  }

  private static let names: Set = ["/", "/proxy.pac", "/ca.pem", "/ca.crt", "/healthz", "/metrics", "/favicon.ico"]

  static func path(of head: RequestHead) -> String { parts(of: head).path }

  /// Without its question mark; empty if there is none.
  static func query(of head: RequestHead) -> String { parts(of: head).query }

  private static func parts(of head: RequestHead) -> (path: String, query: String) {
    var target: [UInt8] = []
    head.appendOriginForm(into: &target)
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    return (String(decoding: path, as: UTF8.self), String(decoding: target.dropFirst(path.count + 1), as: UTF8.self))
  }

  /// A text of a request, made safe for a page: printable ASCII only, of bounded length.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
  }
}

/// How the start page leads to the live page.
enum LivePageLink {
  /// There is no live page.
  case none
  /// Visitors give the proxy's password.
  case open
  /// Its address has a key, which the start page does not know of its visitor.
  case keyed
}

import FoundationEssentials
@testable import TapelineLive
import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineRedaction
import TapelineTestSupport
import TapelineBase
import TapelineTransport
import Testing

@testable import TapelineHAR
@testable import TapelineInspect
@testable import TapelineProxy
@testable import TapelineRecorder

/// Each reader of URLs and authorities in the program takes the same host and port from a URL, or none. What is sent to one place
/// and recorded, judged or hidden as if it went to another is a hole.
@Suite("Readers of URLs")
struct URLReadersTests {
  typealias Place = CorpusURL.Place
  /// Why a reader may find a place where the corpus has none, and where it may.
  typealias Deviations = [String: @Sendable (CorpusURL) -> Bool]

  private let corpus: [CorpusURL]

  init() throws {
    corpus = try CorpusURL.all()
  }

  @Test("The corpus has valid, odd and hostile URLs")
  func size() {
    #expect(corpus.count >= 700)
    #expect(corpus.count { $0.place != nil } >= 300)
    #expect(Set(corpus.map(\.text)).count == corpus.count)
  }

  // MARK: Readers that decide where to connect

  @Test("The codec reads a target in absolute-form (RFC 9112 3.2.2)")
  func absoluteForm() {
    expect(
      { Self.target($0.text) },
      besides: [
        "its bytes are an address's, and whether they are one is for the resolver to say": Self.isColonsAndDigits,
        "a name beyond ASCII is for the resolver, too": Self.isBeyondASCII,
        "wss is https": { $0.text.hasPrefix("wss://") },
      ])
  }

  @Test("The codec reads a target in authority-form, which has a port and no userinfo (RFC 9112 3.2.3)")
  func authorityForm() {
    expect(
      { url in
        guard let authority = url.authority, let head = Self.head(.connect, authority),
          case .authority(let host, let port) = head.target
        else { return nil }
        return Place(host: host.lowercased(), port: Int(port))
      }, besides: Self.notOfAuthorities.merging(["see absolute-form": Self.isColonsAndDigits]) { $1 }, mayRefuse: true)
  }

  @Test("The codec reads the Host field (RFC 9112 3.2)")
  func hostField() {
    expect(
      { url in
        // No field has a line end or a NUL in it.
        guard let authority = url.authority, authority.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
          let host = Self.head(.get, "/", host: authority)?.namedHost, !host.isEmpty
        else { return nil }
        return Place(host: host.lowercased(), port: url.place?.port ?? 0)
      },
      besides: Self.notOfAuthorities.merging([
        "see absolute-form": Self.isColonsAndDigits, "see absolute-form, too": Self.isBeyondASCII,
        "blanks around a field's value are no part of it": { url in
          guard let authority = url.authority else { return false }
          return authority.hasPrefix(" ") || authority.hasSuffix(" ")
        },
      ]) { $1 }, mayRefuse: true)
  }

  @Test("The ground floor reads an authority (RFC 3986 3.2)")
  func authority() {
    expect(
      { url in
        let ranges = URIRanges(url.text)
        guard let scheme = ranges.scheme, let range = ranges.authority, let authority = Authority(url.text.utf8.span, in: range)
        else {
          return nil
        }
        return Self.place(authority, scheme: String(url.text[utf8: scheme]))
      }, besides: ["what follows the authority is not read": Self.isWrongBehindAuthority])
  }

  @Test("The library connects to the host and port of its URL")
  func library() {
    expect(
      { url in Self.url(url.text).flatMap(Self.destination) },
      besides: [
        "see absolute-form": Self.isColonsAndDigits,
        "Foundation percent-encodes what no URI has, and that is the URL from then on": { url in
          guard let repaired = Self.url(url.text), repaired.absoluteString != url.text else { return false }
          return Self.destination(repaired) == Self.place(RequestURL(repaired.absoluteString))
        },
      ], mayRefuse: true)
    #expect(corpus.count { url in url.place != nil && Self.url(url.text).flatMap(Self.destination) != nil } > 200)
  }

  @Test("An upstream proxy has the host and port of its URL")
  func upstreamProxy() {
    expect(
      { url in
        do throws(UpstreamProxyError) {
          let proxy = try UpstreamProxy(parsing: url.text)
          return Place(host: proxy.host, port: Int(proxy.port))
        } catch {
          return nil
        }
      },
      besides: Self.zones.merging([
        "a scheme is not required": { !$0.text.contains("://") },
        "brackets may be left out": { $0.text.contains("://::1") },
        "people write their passwords as they are, and the last @ ends them": { url in
          guard let authority = url.authority, let at = authority.lastIndex(of: "@") else { return false }
          return Authority(authority) == nil && Authority(String(authority[authority.index(after: at)...])) != nil
        },
      ]) { $1 }, mayRefuse: true)
  }

  @Test("--listen takes addresses; --upstream-proxy-except, --allow-host and --deny-host take what people write")
  func flags() {
    expect(
      { url in
        guard let authority = url.authority, let place = HostAndPort(authority) else { return nil }
        return Place(host: place.host.lowercased(), port: place.port.map { Int($0) } ?? url.place?.port ?? 0)
      },
      besides: Self.notOfAuthorities.merging(Self.zones) { $1 }.merging([
        "brackets may be left out": { $0.text.contains("://::1") }
      ]) { $1 },
      mayRefuse: true)
    for url in corpus {
      guard let authority = url.authority else { continue }
      guard let place = url.place else {
        if Authority(authority) == nil, !authority.contains("%") {
          #expect(Endpoint(authority) == nil, "\(url.text)")
        }
        continue
      }
      if let endpoint = Endpoint(authority) {
        #expect(Host(endpoint.address.host) == Host(place.host == "localhost" ? "127.0.0.1" : place.host), "\(url.text)")
        #expect(Int(endpoint.address.port) == place.port, "\(url.text)")
      }
      // In these two a star, a comma and a dot at the beginning mean something.
      guard !authority.contains("*"), !authority.contains(","), !authority.hasPrefix(".") else { continue }
      if let pattern = DestinationPattern(authority) {
        #expect(pattern.matches(host: place.host, port: UInt16(place.port)), "\(url.text)")
      }
      if let exceptions = Self.exceptions(authority) {
        #expect(exceptions.matches(host: place.host, port: UInt16(place.port)), "\(url.text)")
      }
    }
  }

  // MARK: Readers that tell what was done

  @Test("Filters, lists, statistics and replay read the URL of an entry (RFC 3986 3.2)")
  func requestURL() {
    expect({ Self.place(RequestURL($0.text)) }, besides: Self.allowedInLogs)
  }

  @Test("Replay looks up a response by the host and port of its request")
  func replay() {
    for url in corpus {
      let key = ReplayKey(method: "GET", url: url.text, folding: ReplayKey.Folding())
      guard let place = url.place else { continue }
      let scheme = url.text.prefix { $0 != ":" }.lowercased()
      #expect(key?.description.hasPrefix("GET \(scheme)://\(place.host):\(place.port)/") == true, "\(url.text)")
    }
  }

  @Test("The recorder writes a URL in which every reader finds the requested host")
  func recorded() throws {
    for url in corpus {
      guard let head = Self.head(.get, url.text), let place = Self.target(url.text), url.place != nil else { continue }
      var writer = JSONWriter()
      EntryURL.append(encoded: EntryURL.text(of: head, implied: nil), to: &writer)
      let text = try #require(try HARValue(json: writer.bytes.span).string)
      #expect(Self.place(RequestURL(text)) == place, "\(text) for \(url.text)")
    }
  }

  @Test("Redaction replaces the userinfo that the readers see, and keeps host and port (RFC 3986 3.2.1)")
  func redaction() throws {
    for url in corpus {
      var entry = HAREntry(
        startedDateTime: "2026-01-02T03:04:05.000Z", time: 0,
        request: HARRequest(method: "GET", url: url.text, httpVersion: "HTTP/1.1"),
        response: HARResponse(status: 200, statusText: "", httpVersion: "HTTP/1.1", content: HARContent(size: 0, mimeType: "")),
        timings: HARTimings(send: 0, wait: 0, receive: 0))
      var redactor = EntryRedactor()
      _ = redactor.redact(&entry)
      let redacted = entry.request.url
      if let place = url.place { #expect(Self.target(redacted) == place, "\(redacted) for \(url.text)") }
      let ranges = URIRanges(url.text)
      guard let authority = ranges.authority,
        let userinfo = AuthorityRanges(url.text.utf8.span, in: authority).userinfo.map({ url.text[utf8: $0] }), !userinfo.isEmpty
      else { continue }
      #expect(!redacted.contains("//\(userinfo)@"), "\(redacted)")
    }
  }

  @Test("The linter's repair of a URL keeps host and port")
  func repaired() {
    for url in corpus where url.place != nil {
      let repaired = URIText.encoded(URIText.withoutFragment(url.text))
      #expect(Self.place(RequestURL(repaired)) == url.place, "\(repaired) for \(url.text)")
      #expect(URIText.hasHost(repaired) && URIText.hasValidPort(repaired), "\(repaired)")
    }
  }

  @Test("Headings, URL templates and curl commands use the same authority")
  func shown() {
    for url in corpus where url.place != nil && url.text.utf8.allSatisfy({ $0 < 0x80 }) {
      let authority = url.authority ?? ""
      #expect(TapelineInspect.origin(of: url.text) == "\(url.text.prefix { $0 != ":" })://\(authority)", "\(url.text)")
      let hostAndPort = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
      #expect(
        URLTemplate(url.text).text.contains("://\(hostAndPort.lowercased())/") || hostAndPort.hasSuffix(":65535"), "\(url.text)")
      let command = CurlCommand(
        method: "GET", url: url.text, httpVersion: "HTTP/1.1", fields: [CurlCommand.Field(name: "Host", value: hostAndPort)],
        body: .none)
      #expect(command.sentFields.isEmpty, "\(url.text)")
    }
  }

  // MARK: Support

  /// What no URL with an authority is, and what an authority alone does not say.
  private static let notOfAuthorities: Deviations = [
    "the scheme or what follows the authority is what is wrong": { url in
      guard let authority = url.authority else { return false }
      return Authority(authority).map { !$0.host.isEmpty && $0.port != 0 } ?? false
    }
  ]

  private static let zones: Deviations = [
    "people name the interface behind an address": { url in
      HostAndPort(url.authority ?? "").flatMap { IPAddress($0.host)?.zone } != nil
    }
  ]

  /// Why a reader of logs takes more than can be connected to.
  private static let allowedInLogs: Deviations = [
    "other programs log bytes that a URI has only percent-encoded": { url in
      Authority(url.authority ?? "", leniency: .unencodedBytes) != nil && Authority(url.authority ?? "") == nil
    },
    "a URL may have no host, or another scheme, or the port 0": { url in
      guard let authority = url.authority.flatMap({ Authority($0) }) else { return false }
      return authority.host.isEmpty || authority.port == 0 || !["http", "https", "ws"].contains(URIReference(url.text).scheme)
    },
    "what follows the authority is not read": isWrongBehindAuthority,
  ]

  @Sendable private static func isWrongBehindAuthority(_ url: CorpusURL) -> Bool {
    Authority(url.authority ?? "").map { !$0.host.isEmpty } == true && url.text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
  }

  @Sendable private static func isBeyondASCII(_ url: CorpusURL) -> Bool {
    url.authority?.utf8.contains { $0 >= 0x80 } ?? false
  }

  @Sendable private static func isColonsAndDigits(_ url: CorpusURL) -> Bool {
    guard let authority = url.authority, let open = authority.firstIndex(of: "["), let close = authority.lastIndex(of: "]") else {
      return false
    }
    let literal = authority[authority.index(after: open)..<close]
    return literal.allSatisfy { $0.isHexDigit || ":.".contains($0) } && literal.count { $0 == ":" } >= 2
  }

  /// Expects the corpus's place of what a reader reads, of every line.
  ///
  /// - Parameters:
  ///   - besides: for what reasons a URL may be read that names no place to connect to.
  ///   - mayRefuse: whether the reader has forms of its own, and may refuse what the corpus has a place for.
  private func expect(
    _ read: (CorpusURL) -> Place?, besides deviations: Deviations = [:], mayRefuse: Bool = false
  ) {
    for url in corpus {
      switch (read(url), url.place) {
      case (let found?, let expected?): #expect(found == expected, "\(url.text)")
      case (nil, let expected?): #expect(mayRefuse, "\(url.text) is refused, and names \(expected)")
      case (let found?, nil):
        #expect(deviations.values.contains { $0(url) }, "\(url.text) is taken for \(found)")
      case (nil, nil): break
      }
    }
  }

  private static func url(_ text: String) -> URL? {
    do {
      return try text.asURL()
    } catch {
      return nil
    }
  }

  private static func destination(_ url: URL) -> Place? {
    do {
      let route = try URLRequest(url: url).route()
      return Place(host: route.host, port: Int(route.port))
    } catch {
      return nil
    }
  }

  private static func exceptions(_ text: String) -> ProxyExceptions? {
    do throws(UpstreamProxyError) {
      return try ProxyExceptions(parsing: text)
    } catch {
      return nil
    }
  }

  private static func head(_ method: HTTPMethod, _ target: String, host: String? = nil) -> RequestHead? {
    do throws(HTTPParseError) {
      return try RequestHead(method: method, target: target, fields: HeaderFields(host.map { [("Host", $0)] } ?? []))
    } catch {
      return nil
    }
  }

  private static func target(_ text: String) -> Place? {
    guard let head = head(.get, text), case .absolute(let target) = head.target, target.scheme == .http || target.scheme == .https
    else {
      return nil
    }
    return Place(host: target.host.lowercased(), port: Int(target.port))
  }

  private static func place(_ url: RequestURL?) -> Place? {
    guard let url, let port = url.port else { return nil }
    return Place(host: url.host, port: port)
  }

  private static func place(_ authority: Authority, scheme: String) -> Place? {
    let defaults = ["http": 80, "https": 443, "ws": 80]
    guard let port = defaults[scheme.lowercased()], !authority.host.isEmpty, authority.port != 0 else { return nil }
    return Place(host: authority.host, port: authority.port.map { Int($0) } ?? port)
  }
}

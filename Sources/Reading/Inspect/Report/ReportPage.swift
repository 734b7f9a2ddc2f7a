internal import TapelineDigest
internal import TapelineBase

/// The page around the data: the files of `Page/`, which the build puts into the program, as one document.
enum ReportPage {
  /// In document order; a file may use declarations of earlier files while it is loaded.
  private static let styles = [
    PackageResources.colors_css, PackageResources.layout_css, PackageResources.table_css, PackageResources.details_css,
    PackageResources.compare_css, PackageResources.search_css, PackageResources.summary_css, PackageResources.print_css,
  ]

  private static let scripts = [
    PageDescription.script, PackageResources.format_js, PackageResources.elements_js, PackageResources.entry_js,
    PackageResources.streams_js, PackageResources.capture_js,
    PackageResources.server_time_js, PackageResources.transfer_js,
    PackageResources.query_syntax_js, PackageResources.query_fields_js, PackageResources.query_js,
    PackageResources.statistics_js, PackageResources.state_js, PackageResources.curl_js,
    PackageResources.request_code_js, PackageResources.hex_js,
    PackageResources.json_view_js, PackageResources.waterfall_js, PackageResources.critical_js, PackageResources.overview_js,
    PackageResources.columns_js,
    PackageResources.table_js, PackageResources.tooltip_js, PackageResources.headers_tab_js, PackageResources.body_tab_js,
    PackageResources.timeline_tab_js, PackageResources.connection_tab_js, PackageResources.messages_tab_js,
    PackageResources.compare_tab_js, PackageResources.details_js, PackageResources.save_js, PackageResources.summary_js,
    PackageResources.search_js, PackageResources.print_js, PackageResources.toolbar_js, PackageResources.keyboard_js,
    PackageResources.address_js,
  ]

  private static let style = styles.reduce(into: []) { $0 += $1 }
  private static let script = joined(scripts + [PackageResources.main_js])
  /// The script of the live page: the same, and the source of its exchanges.
  private static let liveScript = joined(
    scripts + [PackageResources.live_controls_js, PackageResources.live_js, PackageResources.main_js])

  /// The document before the data, and after the data.
  private static let template = PageTemplate(PackageResources.page_html)

  /// Bytes of the page without any data.
  static var size: Int { style.count + script.count + PackageResources.page_html.count }

  /// The approximate number of bytes after the data.
  static var closingSize: Int { script.count }

  static func opening(title: String) -> [UInt8] {
    opening(title: title, policy: policy)
  }

  private static func opening(title: String, policy: String) -> [UInt8] {
    template.text(upTo: "data") { place in
      switch place {
      case "title": Array(title.escaped(for: .html).utf8)
      case "policy": Array(policy.utf8)
      case "style": style
      case let other: preconditionFailure("the page has no place named \(other) before its data")
      }
    }
  }

  static var closing: [UInt8] { closing(script: script) }

  private static func closing(script: [UInt8]) -> [UInt8] {
    template.text(after: "data") { place in
      precondition(place == "script", "only the script follows the data")
      return script
    }
  }

  /// The page that asks for its exchanges, with the blocks of data that it begins with.
  static func live(title: String, _ blocks: [UInt8]) -> [UInt8] {
    opening(title: title, policy: livePolicy) + blocks + closing(script: liveScript)
  }

  /// The live page asks where it came from.
  static var livePolicy: String { policy(for: liveScript) + "; connect-src 'self'" }

  private static var policy: String { policy(for: script) }

  /// Nothing is loaded, and only code in this file runs; the script and the style are named by their hashes (CSP 3).
  private static func policy(for script: [UInt8]) -> String {
    "default-src 'none'; script-src '\(source(of: script))'; style-src '\(source(of: style))'; img-src data:; "
      + "base-uri 'none'; form-action 'none'"
  }

  private static func source(of bytes: [UInt8]) -> String {
    "sha256-" + Base64.encode(MessageDigest.sha256.digest(of: bytes.span))
  }

  /// The scripts without the lines that are comments, a seventh of them: each viewer of a live page loads them again.
  private static func joined(_ scripts: [[UInt8]]) -> [UInt8] {
    let text = scripts.reduce(into: []) { $0 += $1 }
    var code: [UInt8] = []
    var (start, isInComment) = (0, false)
    while start < text.count {
      let end = text.span.firstIndex(of: Byte.lineFeed, from: start).map { $0 + 1 } ?? text.count
      let line = text[start..<end]
      let words = line.drop { $0 == Byte.space }
      isInComment = isInComment || words.starts(with: "/**".utf8)
      if !isInComment, !words.starts(with: "//".utf8) { code += line }
      if isInComment, words.firstRange(of: "*/".utf8) != nil { isInComment = false }
      start = end
    }
    return code
  }
}

/// A text with named places, written `{{name}}`.
struct PageTemplate: Sendable {
  private enum Piece: Hashable, Sendable {
    case text(ArraySlice<UInt8>)
    case place(String)
  }

  private let pieces: [Piece]

  init(_ text: [UInt8]) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "{{".utf8), let closing = rest[opening.upperBound...].firstRange(of: "}}".utf8) {
      pieces.append(.text(rest[..<opening.lowerBound]))
      pieces.append(.place(String(decoding: rest[opening.upperBound..<closing.lowerBound], as: UTF8.self)))
      rest = rest[closing.upperBound...]
    }
    pieces.append(.text(rest))
    self.pieces = pieces
  }

  /// The text before `place`, with the places in it filled.
  func text(upTo place: String, _ fill: (String) -> [UInt8]) -> [UInt8] {
    Self.text(of: pieces[..<index(of: place)], fill)
  }

  /// The text after `place`, with the places in it filled.
  func text(after place: String, _ fill: (String) -> [UInt8]) -> [UInt8] {
    Self.text(of: pieces[(index(of: place) + 1)...], fill)
  }

  private func index(of place: String) -> Int {
    guard let index = pieces.firstIndex(of: .place(place)) else {
      preconditionFailure("the template has no place named \(place)")
    }
    return index
  }

  private static func text(of pieces: ArraySlice<Piece>, _ fill: (String) -> [UInt8]) -> [UInt8] {
    pieces.flatMap { piece in
      switch piece {
      case .text(let text): Array(text)
      case .place(let name): fill(name)
      }
    }
  }
}

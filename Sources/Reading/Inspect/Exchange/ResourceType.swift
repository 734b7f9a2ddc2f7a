internal import TapelineHAR
internal import TapelineBase

/// The purpose of an exchange, in the words of browsers' developer tools.
enum ResourceType: String, CaseIterable, Hashable, Sendable {
  case document, script, style, image, font, fetch, media, websocket, other

  /// The name for people.
  var title: String {
    switch self {
    case .document: "Document"
    case .script: "Script"
    case .style: "Style"
    case .image: "Image"
    case .font: "Font"
    case .fetch: "XHR/fetch"
    case .media: "Media"
    case .websocket: "WebSocket"
    case .other: "Other"
    }
  }

  /// From the log, else from the browser's request headers, else from the media type of the response.
  init(_ entry: HAREntry) {
    self =
      Self.said(by: entry) ?? Self.asked(by: entry.request) ?? Self.answered(MediaType(entry.response.content.mimeType).essence)
  }

  private static func said(by entry: HAREntry) -> ResourceType? {
    guard !entry.request.asksForTunnel else { return .other }
    if entry.response.status == 101 || entry.request.opensWebSocketOverHTTP2 { return .websocket }
    // Chrome's words, which Playwright also uses, and our logs for a WebSocket.
    return switch entry.custom[.resourceType]?.string?.lowercased() {
    case "document": .document
    case "script": .script
    case "stylesheet": .style
    case "image": .image
    case "font": .font
    case "xhr", "fetch", "eventsource": .fetch
    case "media", "texttrack": .media
    case "websocket": .websocket
    case "manifest", "ping", "preflight", "cspviolationreport", "signedexchange", "other": .other
    default: nil
    }
  }

  /// Fetch Metadata: the intended use of the response.
  private static func asked(by request: HARRequest) -> ResourceType? {
    for header in request.headers {
      switch header.name.lowercased() {
      case "sec-fetch-dest":
        switch header.value.lowercased() {
        case "document", "frame", "iframe": return .document
        case "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet": return .script
        case "style", "xslt": return .style
        case "image": return .image
        case "font": return .font
        case "audio", "video", "track": return .media
        case "empty": return .fetch
        default: return .other
        }
      case "x-requested-with" where header.value.lowercased() == "xmlhttprequest": return .fetch
      default: continue
      }
    }
    return nil
  }

  private static func answered(_ type: String) -> ResourceType {
    switch type {
    case "text/html", "application/xhtml+xml": return .document
    case "text/css": return .style
    case "text/event-stream", "application/x-ndjson", "application/xml", "text/xml": return .fetch
    case "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/dash+xml", "text/vtt": return .media
    case "application/font-woff", "application/vnd.ms-fontobject", "application/x-font-ttf": return .font
    default: break
    }
    let subtype = type.drop { $0 != "/" }.dropFirst()
    if type.hasPrefix("image/") { return .image }
    if type.hasPrefix("font/") { return .font }
    if type.hasPrefix("audio/") || type.hasPrefix("video/") { return .media }
    if subtype.hasSuffix("javascript") || subtype.hasSuffix("ecmascript") { return .script }
    let isForPrograms = ["json", "protobuf", "grpc", "msgpack", "cbor", "graphql", "+xml"].contains { subtype.hasSuffix($0) }
    return isForPrograms || subtype.hasPrefix("grpc") ? .fetch : .other
  }
}

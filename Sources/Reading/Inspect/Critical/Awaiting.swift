internal import TapelineHAR
internal import TapelineBase

/// Whether somebody waits for an exchange: a program that goes on when it has ended, or a person who looks at a page.
///
/// Nobody waits for favicons, beacons, reports, prefetches and browsers' own errands: no end is theirs, and nothing begins
/// because they have ended.
enum Awaiting: Sendable {
  case somebody
  /// It looks like telemetry, or its answer says nothing. Some programs wait for such exchanges all the same.
  case doubtful
  case nobody

  /// Usual names of requests whose answers nobody needs.
  private static let errands: Set<String> = [
    "analytics", "beacon", "beacons", "collect", "envelope", "event", "events", "heartbeat", "logs", "metrics", "ping", "pixel",
    "rum", "stats", "telemetry", "trace", "traces", "track", "tracking",
  ]
  /// Browsers ask these by themselves.
  private static let errandHosts: Set<String> = [
    "update.googleapis.com", "optimizationguide-pa.googleapis.com", "safebrowsing.googleapis.com", "clients2.google.com",
    "clientservices.googleapis.com", "content-autofill.googleapis.com", "edgedl.me.gvt1.com", "redirector.gvt1.com",
    "detectportal.firefox.com", "incoming.telemetry.mozilla.org", "firefox.settings.services.mozilla.com",
    "push.services.mozilla.com", "aus5.mozilla.org", "contile.services.mozilla.com", "services.addons.mozilla.org",
    "firefox-settings-attachments.cdn.mozilla.net", "tracking-protection.cdn.mozilla.net", "normandy.cdn.mozilla.net",
    "shavar.services.mozilla.com", "location.services.mozilla.com", "spocs.getpocket.com",
  ]
  private static let reports: Set<String> = ["application/reports+json", "application/csp-report"]

  /// - Parameter type: what the exchange is for.
  init(_ entry: HAREntry, _ type: ResourceType, address: WebAddress?) {
    self = Self.isErrand(entry, type, address) ? .nobody : Self.isDoubtful(entry, type, address) ? .doubtful : .somebody
  }

  private static func isErrand(_ entry: HAREntry, _ type: ResourceType, _ address: WebAddress?) -> Bool {
    switch entry.custom[.resourceType]?.string?.lowercased() {
    case "ping", "beacon", "cspviolationreport", "prefetch": return true
    default: break
    }
    // Fetch Metadata (W3C), and the older words for a prefetch.
    var (mode, destination, site) = ("", "", "")
    for header in entry.request.headers {
      switch header.name.lowercased() {
      case "sec-fetch-mode": mode = header.value.lowercased()
      case "sec-fetch-dest": destination = header.value.lowercased()
      case "sec-fetch-site": site = header.value.lowercased()
      case "purpose", "sec-purpose", "x-moz", "x-purpose":
        if header.value.lowercased().contains("prefetch") { return true }
      case "content-type":
        if reports.contains(MediaType(header.value).essence) { return true }
      default: continue
      }
    }
    if destination == "report" { return true }
    // `sendBeacon`, `ping`; and what a browser asks for without a page.
    let isEmpty = destination == "empty"
    if isEmpty, mode == "no-cors", entry.request.method == "POST" || site == "none" { return true }
    if isEmpty, site == "none" { return true }
    guard let address else { return entry.request.url.hasPrefix("data:") }
    if address.tail.hasPrefix("favicon") || address.tail.hasPrefix("apple-touch-icon") { return true }
    if type == .image, ["image/x-icon", "image/vnd.microsoft.icon"].contains(MediaType(entry.response.content.mimeType).essence) {
      return true
    }
    return errandHosts.contains(String(address.authority))
  }

  /// Telemetry sends something, and its answer is empty.
  private static func isDoubtful(_ entry: HAREntry, _ type: ResourceType, _ address: WebAddress?) -> Bool {
    switch type {
    case .fetch, .other, .image: break
    case .document, .script, .style, .font, .media, .websocket: return false
    }
    let isEmpty = entry.response.status == 204 || entry.response.content.size == 0 && (200..<300).contains(entry.response.status)
    if entry.request.method == "POST", isEmpty { return true }
    guard entry.request.method == "POST" || isEmpty || type == .image, let address else { return false }
    let words = address.place.dropFirst(address.origin.count).split { !$0.isLetter }
    return words.contains { errands.contains($0.lowercased()) }
  }
}

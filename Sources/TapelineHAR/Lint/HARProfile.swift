/// A program that reads HARs and is stricter, in places, than HAR 1.2.
public enum HARProfile: String, Sendable, Hashable, CaseIterable {
  /// The Network panel of Chrome and its relatives.
  case devtools
  /// Firefox's network monitor.
  case firefox
  /// Playwright's `routeFromHAR`.
  case playwright
  /// mitmproxy's import.
  case mitmproxy
}

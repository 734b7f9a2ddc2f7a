extension EntryLint {
  mutating func checkAddresses() {
    checkURL()
    checkServerAddress()
  }

  private mutating func checkURL() {
    let path = path["request"]["url"]
    let original = entry.request.url
    var url = URIText.withoutFragment(original)
    if url != original { report(.urlFragment, at: path, "a URL in a log has no fragment") }
    if !URIText.hasScheme(url) {
      url = Self.absolute(url, host: host)
      report(.badURL, at: path, original.isEmpty ? "the URL is empty" : "the URL is not absolute")
    }
    let encoded = URIText.encoded(url)
    if encoded != url { report(.badURL, at: path, "the URL has characters that must be percent-encoded") }
    if !URIText.hasValidPort(encoded) { report(.badURL, at: path, "the URL's port is not a number", isFixable: false) }
    entry.request.url = encoded
  }

  private var host: String? {
    entry.request.headers.last { $0.name.lowercased() == "host" || $0.name == ":authority" }?.value
  }

  /// The request's target appended to its host; without a host, to a host below RFC 6761's `invalid`, which nobody has.
  private static func absolute(_ target: String, host: String?) -> String {
    if target.hasPrefix("//") { return "http:" + target }
    let separator = target.hasPrefix("/") || target.isEmpty ? "" : "/"
    return "http://" + (host ?? "invalid.invalid") + separator + (target.isEmpty ? "/" : target)
  }

  private mutating func checkServerAddress() {
    guard let address = entry.serverIPAddress, !AddressText.isBare(address) else { return }
    entry.serverIPAddress = AddressText.bare(in: address)
    report(
      .serverAddress, at: path["serverIPAddress"],
      address.isEmpty ? "an address that is not known is left out" : "\"\(address)\" is not a bare IP address")
  }
}

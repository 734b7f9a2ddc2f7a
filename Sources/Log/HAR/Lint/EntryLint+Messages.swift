internal import TapelineBase

extension EntryLint {
  /// Headers and bodies.
  mutating func checkMessages() {
    splitHeaders(\.request.headers, at: path["request"]["headers"])
    splitHeaders(\.response.headers, at: path["response"]["headers"])
    checkPostData()
    checkContent()
  }

  /// Some programs join several lines with one name into one value.
  private mutating func splitHeaders(_ headers: WritableKeyPath<HAREntry, [HARHeader]>, at path: HARPath) {
    guard entry[keyPath: headers].contains(where: { $0.value.contains(where: \.isNewline) }) else { return }
    var split: [HARHeader] = []
    for (index, header) in entry[keyPath: headers].enumerated() {
      guard header.value.contains(where: \.isNewline) else {
        split.append(header)
        continue
      }
      report(.mergedHeader, at: path[index]["value"], "lines of \"\(header.name)\" are merged into one value")
      for line in header.value.split(whereSeparator: \.isNewline) {
        var field = header
        field.value = String(line)
        split.append(field)
      }
    }
    entry[keyPath: headers] = split
  }

  private mutating func checkPostData() {
    guard let postData = entry.request.postData, postData.text == nil else { return }
    let path = path["request"]["postData"]["text"]
    let text = entry.request.bodyText ?? (postData.fields.isEmpty ? "" : nil)
    entry.request.postData?.text = text
    report(.postDataText, at: path, "readers take the body from text, which is missing", isFixable: text != nil)
  }

  private mutating func checkContent() {
    let response = entry.response
    let path = path["response"]["content"]
    if let compression = response.content.compression, response.bodySize >= 0,
      compression != response.content.size - response.bodySize
    {
      entry.response.content.compression = response.content.size - response.bodySize
      report(.compression, at: path["compression"], "\(compression) is not size − bodySize")
    }
    guard response.content.encoding?.lowercased() == "base64", let text = response.content.text,
      !Base64.isValid(Array(text.utf8).span)
    else { return }
    if let mended = Self.mendedBase64(text) {
      entry.response.content.text = mended
    } else {
      entry.response.content.encoding = nil
    }
    report(.badBase64, at: path["text"], "the text is not the base64 that encoding says")
  }

  /// The letters of base64url (RFC 4648 5) become those of base64 and missing padding is added; `nil` when that does not help.
  private static func mendedBase64(_ text: String) -> String? {
    var bytes: [UInt8] = []
    for byte in text.utf8 where byte != Byte.equals {
      switch byte {
      case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): bytes.append(Byte.slash)
      case Byte.lineFeed, Byte.carriageReturn, Byte.space: continue
      default: bytes.append(byte)
      }
    }
    while bytes.count % 4 > 1 { bytes.append(Byte.equals) }
    return Base64.isValid(bytes.span) ? String(decoding: bytes, as: UTF8.self) : nil
  }

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
    if !URIText.hasValidPort(encoded) {
      report(.badURL, at: path, "the URL's port is not a number from 1 to 65535", isFixable: false)
    }
    entry.request.url = encoded
  }

  private var host: String? {
    entry.request.headers.last { $0.name.isSameName(as: "host") || $0.name == ":authority" }?.value
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

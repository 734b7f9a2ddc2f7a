extension EntryLint {
  /// Headers and bodies.
  mutating func checkMessages() {
    splitHeaders(\.request.headers, at: path["request"]["headers"])
    splitHeaders(\.response.headers, at: path["response"]["headers"])
    checkPostData()
    checkContent()
  }

  /// Some programs put several lines of one name into one value.
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
    let fields = postData.params ?? []
    entry.request.postData?.text = fields.map { FormText.encoded($0.name, $0.value ?? "") }.joined(separator: "&")
    report(.postDataText, at: path["request"]["postData"]["text"], "readers take the body from text, which is missing")
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
      !Base64Text.isWhole(text)
    else { return }
    if let mended = Base64Text.mended(text) {
      entry.response.content.text = mended
    } else {
      entry.response.content.encoding = nil
    }
    report(.badBase64, at: path["text"], "the text is not the base64 that encoding says")
  }
}

/// One field of an `application/x-www-form-urlencoded` body.
enum FormText {
  static func encoded(_ name: String, _ value: String) -> String {
    encoded(name) + "=" + encoded(value)
  }

  private static func encoded(_ text: String) -> String {
    var output = ""
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"):
        output.unicodeScalars.append(Unicode.Scalar(octet))
      case 0x20: output += "+"
      default: output += "%" + (octet < 0x10 ? "0" : "") + String(octet, radix: 16, uppercase: true)
      }
    }
    return output
  }
}

/// Whether a text is base64 (RFC 4648, section 4), and what can be done when it is not quite.
enum Base64Text {
  /// Line breaks do not count.
  static func isWhole(_ text: String) -> Bool {
    var letters = 0
    var padding = 0
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "="): padding += 1
      case _ where isLetter(octet) && padding == 0: letters += 1
      default: return false
      }
    }
    return padding <= 2 && (letters + padding) % 4 == 0
  }

  /// The letters of base64url become those of base64 and missing padding is added; `nil` when that does not help.
  static func mended(_ text: String) -> String? {
    var octets: [UInt8] = []
    for octet in text.utf8 where octet != UInt8(ascii: "=") {
      switch octet {
      case UInt8(ascii: "-"): octets.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): octets.append(UInt8(ascii: "/"))
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x20: continue
      default: octets.append(octet)
      }
    }
    while octets.count % 4 > 1 { octets.append(UInt8(ascii: "=")) }
    let mended = String(decoding: octets, as: UTF8.self)
    return isWhole(mended) ? mended : nil
  }

  private static func isLetter(_ octet: UInt8) -> Bool {
    JSONOctets.isDigit(octet) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20) || octet == UInt8(ascii: "+")
      || octet == UInt8(ascii: "/")
  }
}

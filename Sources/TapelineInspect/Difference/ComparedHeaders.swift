internal import TapelineHAR

/// The fields of one head as far as two runs should have the same: sorted by name, in lower case, without the ignored
/// fields, and without the secrets and times inside the other fields.
struct ComparedHeaders: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let name: String
    let value: String
  }

  let fields: [Field]

  init(_ headers: [HARHeader], ignoring ignored: IgnoredHeaders) {
    let kept = headers.compactMap { header -> Field? in
      let name = header.name.lowercased()
      return ignored.contains(name) ? nil : Field(name: name, value: Self.comparable(header.value, of: name))
    }
    fields = kept.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
  }

  /// The approximate size in bytes.
  var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } }

  /// All values of the field with this name.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  private static func comparable(_ value: String, of name: String) -> String {
    switch name {
    case "set-cookie": parameters(of: value, hiding: ["expires", "max-age"], andFirst: true)
    case "cookie": value.split(separator: ";").map { $0.trimmed.prefix { $0 != "=" } }.sorted().joined(separator: "; ")
    case "authorization", "proxy-authorization": value.prefix { $0 != " " } + " …"
    case "content-type": parameters(of: value, hiding: ["boundary"], andFirst: false)
    case "referer", "origin": URLTemplate(value).text
    case _: value
    }
  }

  /// `sid=…; Path=/; Expires=…`
  private static func parameters(of value: String, hiding hidden: Set<String>, andFirst hidesFirst: Bool) -> String {
    value.split(separator: ";").enumerated().map { index, parameter in
      let name = parameter.trimmed.prefix { $0 != "=" }
      let isHidden = index == 0 ? hidesFirst : hidden.contains(name.lowercased())
      return isHidden ? name + "=…" : String(parameter.trimmed)
    }.joined(separator: "; ")
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}

/// One field line of a head.
public struct HARHeader: Sendable, Hashable {
  /// The field's name, spelled as it came.
  public var name: String
  /// The field's value.
  public var value: String
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    name: String, value: String, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.name = name
    self.value = value
    self.comment = comment
    self.custom = custom
  }
}

extension HARHeader: HARRecord {
  init() {
    self.init(name: "", value: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "value": try parser.read(&value)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("value", value, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

/// A cookie sent or set.
public struct HARCookie: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// Its value.
  public var value: String
  /// The attribute `Path`.
  public var path: String?
  /// The attribute `Domain`.
  public var domain: String?
  /// ISO 8601.
  public var expires: String?
  /// Whether scripts cannot see it.
  public var httpOnly: Bool?
  /// Whether it goes over secure connections only.
  public var secure: Bool?
  /// Not in HAR 1.2, yet written by browsers.
  public var sameSite: String?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    name: String, value: String, path: String? = nil, domain: String? = nil, expires: String? = nil, httpOnly: Bool? = nil,
    secure: Bool? = nil, sameSite: String? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.name = name
    self.value = value
    self.path = path
    self.domain = domain
    self.expires = expires
    self.httpOnly = httpOnly
    self.secure = secure
    self.sameSite = sameSite
    self.comment = comment
    self.custom = custom
  }
}

extension HARCookie: HARRecord {
  init() {
    self.init(name: "", value: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "value": try parser.read(&value)
    case "path": try parser.read(&path)
    case "domain": try parser.read(&domain)
    case "expires": try parser.read(&expires)
    case "httpOnly": try parser.read(&httpOnly)
    case "secure": try parser.read(&secure)
    case "sameSite": try parser.read(&sameSite)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("value", value, except: custom)
    writer.append("path", path, except: custom)
    writer.append("domain", domain, except: custom)
    writer.append("expires", expires, except: custom)
    writer.append("httpOnly", httpOnly, except: custom)
    writer.append("secure", secure, except: custom)
    writer.append("sameSite", sameSite, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

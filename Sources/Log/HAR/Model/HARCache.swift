/// The cache's entry before and after the exchange.
public struct HARCache: Sendable, Hashable {
  /// Before the exchange; absent when unknown.
  public var beforeRequest: HARCacheState?
  /// After the exchange; absent when unknown.
  public var afterRequest: HARCacheState?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    beforeRequest: HARCacheState? = nil, afterRequest: HARCacheState? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.beforeRequest = beforeRequest
    self.afterRequest = afterRequest
    self.comment = comment
    self.custom = custom
  }
}

extension HARCache: HARRecord {
  /// Makes a value of its members.
  public init() {
    self.init(custom: [:])
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "beforeRequest": try parser.read(&beforeRequest)
    case "afterRequest": try parser.read(&afterRequest)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("beforeRequest", beforeRequest, except: custom)
    writer.append("afterRequest", afterRequest, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

/// One state of a cache's entry.
public struct HARCacheState: Sendable, Hashable {
  /// When the entry stops being fresh, in ISO 8601.
  public var expires: String?
  /// When it was used last, in ISO 8601.
  public var lastAccess: String?
  /// Its entity tag.
  public var eTag: String?
  /// How often it was used.
  public var hitCount: Int?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    expires: String? = nil, lastAccess: String? = nil, eTag: String? = nil, hitCount: Int? = nil, comment: String? = nil,
    custom: HARObject = [:]
  ) {
    self.expires = expires
    self.lastAccess = lastAccess
    self.eTag = eTag
    self.hitCount = hitCount
    self.comment = comment
    self.custom = custom
  }
}

extension HARCacheState: HARRecord {
  /// Nothing is known.
  public init() {
    self.init(custom: [:])
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "expires": try parser.read(&expires)
    case "lastAccess": try parser.read(&lastAccess)
    case "eTag": try parser.read(&eTag)
    case "hitCount": try parser.read(&hitCount)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("expires", expires, except: custom)
    writer.append("lastAccess", lastAccess, except: custom)
    writer.append("eTag", eTag, except: custom)
    writer.append("hitCount", hitCount, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

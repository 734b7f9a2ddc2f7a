/// One state of a cache's entry.
public struct HARCacheState: Sendable, Hashable {
  public var expires: String?
  public var lastAccess: String?
  public var eTag: String?
  public var hitCount: Int?
  public var comment: String?
  /// Members that the format does not define, or not with that type.
  public var custom: HARObject

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

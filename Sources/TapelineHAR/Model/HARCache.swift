/// What is known of the cache's entry before and after the exchange.
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

/// Milliseconds of each phase; −1 or absent for a phase that did not happen.
public struct HARTimings: Sendable, Hashable {
  /// Waiting for a connection.
  public var blocked: Double?
  /// Resolving the name.
  public var dns: Double?
  /// Includes `ssl`.
  public var connect: Double?
  /// Sending the request.
  public var send: Double
  /// Waiting for the first byte of the response.
  public var wait: Double
  /// Receiving the response.
  public var receive: Double
  /// The TLS handshake, a part of `connect`.
  public var ssl: Double?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, send: Double, wait: Double, receive: Double,
    ssl: Double? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.blocked = blocked
    self.dns = dns
    self.connect = connect
    self.send = send
    self.wait = wait
    self.receive = receive
    self.ssl = ssl
    self.comment = comment
    self.custom = custom
  }
}

extension HARTimings: HARRecord {
  init() {
    self.init(send: 0, wait: 0, receive: 0)
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "blocked": try parser.read(&blocked)
    case "dns": try parser.read(&dns)
    case "connect": try parser.read(&connect)
    case "send": try parser.read(&send)
    case "wait": try parser.read(&wait)
    case "receive": try parser.read(&receive)
    case "ssl": try parser.read(&ssl)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("blocked", blocked, except: custom)
    writer.append("dns", dns, except: custom)
    writer.append("connect", connect, except: custom)
    writer.append("send", send, except: custom)
    writer.append("wait", wait, except: custom)
    writer.append("receive", receive, except: custom)
    writer.append("ssl", ssl, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

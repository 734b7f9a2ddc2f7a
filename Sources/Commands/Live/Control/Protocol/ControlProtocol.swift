internal import TapelineHAR

/// The line protocol of the control socket: one request and one reply per connection, each a JSON object in one line.
enum ControlProtocol {
  static let version = 1
  /// A member of every message, which identifies it as a message and gives its version.
  static let versionMember = "tapeline"
  /// The longest line, without its end. A name or a path needs far less.
  static let lineLimit = 64 * 1_024

  /// A message in one line, with its end.
  static func line(_ members: HARObject) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(object: HARObject(members: [.init(name: versionMember, value: .number(HARNumber(version)))] + members.members))
    writer.append(byte: UInt8(ascii: "\n"))
    return writer.bytes
  }

  /// The object that a line holds.
  static func members(ofLine line: [UInt8]) throws(ControlMessageError) -> HARObject {
    let value: HARValue
    do throws(HARReadError) {
      value = try HARValue(json: line.span)
    } catch {
      throw .notJSON(error.description)
    }
    guard let object = value.object, let version = object[versionMember] else { throw .notOurs }
    guard version.integer == Self.version else { throw .otherVersion }
    return object
  }
}

/// Why a line is not a message of the protocol.
package enum ControlMessageError: Error, Hashable, CustomStringConvertible {
  case notJSON(String)
  /// Not an object, or an object without the member `tapeline`.
  case notOurs
  case otherVersion
  case unknownCommand(String)
  case missing(member: String)

  package var description: String {
    switch self {
    case .notJSON(let why): "a message is a JSON object in one line: \(why)"
    case .notOurs: "a message is an object with the member \"\(ControlProtocol.versionMember)\""
    case .otherVersion: "only version \(ControlProtocol.version) of the protocol is spoken here"
    case .unknownCommand(let name): "there is no command \"\(name)\""
    case .missing(let member): "\"\(member)\" is missing, or not of its type"
    }
  }
}

/// Reads members that must be present.
struct MemberReader {
  let value: HARValue
  /// The prefix of a member's name in an error.
  let path: String

  func text(_ name: String) throws(ControlMessageError) -> String {
    guard let text = value[name]?.string else { throw .missing(member: path + name) }
    return text
  }

  func integer(_ name: String) throws(ControlMessageError) -> Int {
    guard let integer = value[name]?.integer else { throw .missing(member: path + name) }
    return integer
  }

  func texts(_ name: String) throws(ControlMessageError) -> [String] {
    guard let elements = value[name]?.array else { throw .missing(member: path + name) }
    return elements.compactMap(\.string)
  }

  func object(_ name: String) throws(ControlMessageError) -> MemberReader {
    guard let member = value[name], member.object != nil else { throw .missing(member: path + name) }
    return MemberReader(value: member, path: "\(path)\(name).")
  }

  func objects(_ name: String) throws(ControlMessageError) -> [MemberReader] {
    guard let elements = value[name]?.array else { throw .missing(member: path + name) }
    return elements.enumerated().map { MemberReader(value: $1, path: "\(path)\(name)[\($0)].") }
  }

  func integers(_ name: String) throws(ControlMessageError) -> [Int] {
    guard let elements = value[name]?.array else { throw .missing(member: path + name) }
    return elements.compactMap(\.integer)
  }
}

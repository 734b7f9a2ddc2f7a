internal import TapelineHAR

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

import TapelineTestSupport
import Testing

@testable import TapelineHAR

/// The members that HAR does not define, against the page that describes them.
struct HARMemberTests {
  private static let page = try? readText("\(repositoryRoot)/docs/har.md")

  @Test("docs/har.md describes each member that a log may have")
  func described() throws {
    let page = try #require(Self.page)
    // The live page and browsers have these.
    let others: Set = [
      "_webSocketMessagesLeftOut", "_paramsLeftOut", "_webSocketMessageCount", "_eventSourceMessages", "_initiator",
      "_transferSize",
    ]
    for member in HARMember.all where !others.contains(member.name) {
      #expect(page.contains(member.name), "\(member.name) is not in docs/har.md")
    }
  }

  @Test("Each member that docs/har.md describes has a constant")
  func complete() throws {
    let names = Set(HARMember.all.map(\.name))
    let described = try #require(Self.page).matches(of: /\n\| `(?<name>_\w+)/).map { String($0.name) }
    #expect(described.count > 40)
    for name in described { #expect(names.contains(name), "\(name) has no constant") }
  }

  @Test("A name is spelled once")
  func names() {
    let names = HARMember.all.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names { #expect(name.hasPrefix("_") && name.utf8.allSatisfy { $0 != 0x22 && $0 != 0x3A && $0 != 0x2C }) }
    #expect(HARMember.door.name == "_door" && HARMember.door.opening.description == #","_door":"#)
  }

  @Test("An object is asked by the constant as by the name")
  func objects() {
    var object = HARObject()
    object[.door] = .object(HARObject(members: [.init(name: "_size", value: 3)]))
    #expect(object["_door"]?[.size] == 3)
    object[.door] = nil
    #expect(object.isEmpty)
  }
}

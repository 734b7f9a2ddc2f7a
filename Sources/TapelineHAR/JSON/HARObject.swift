/// The members of a JSON object in the order in which they stand, a name that stands twice included.
public struct HARObject: Sendable, Hashable {
  public struct Member: Sendable, Hashable {
    public var name: String
    public var value: HARValue

    public init(name: String, value: HARValue) {
      self.name = name
      self.value = value
    }
  }

  public var members: [Member]

  public init(members: [Member] = []) {
    self.members = members
  }

  public var isEmpty: Bool { members.isEmpty }

  /// The last member of that name, the one that readers of JSON agree on. Setting replaces it where it stands, or appends it.
  public subscript(name: String) -> HARValue? {
    get {
      members.last { $0.name == name }?.value
    }
    set {
      let index = members.lastIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (_, nil): members.removeAll { $0.name == name }
      }
    }
  }

  func contains(_ name: String) -> Bool {
    members.contains { $0.name == name }
  }
}

extension HARObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral members: (String, HARValue)...) {
    self.init(members: members.map { Member(name: $0.0, value: $0.1) })
  }
}

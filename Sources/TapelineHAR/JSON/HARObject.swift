/// The members of a JSON object in their order, including repeated names.
public struct HARObject: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name, without quotes and escapes.
    public var name: String
    /// Any value.
    public var value: HARValue

    /// Makes a member.
    public init(name: String, value: HARValue) {
      self.name = name
      self.value = value
    }
  }

  /// All members, in order.
  public var members: [Member]

  /// Makes an object.
  public init(members: [Member] = []) {
    self.members = members
  }

  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }

  /// The last member of that name, which JSON readers agree on. Setting replaces it in its place, or appends it.
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
  /// Members in the order in which they are written.
  public init(dictionaryLiteral members: (String, HARValue)...) {
    self.init(members: members.map { Member(name: $0.0, value: $0.1) })
  }
}

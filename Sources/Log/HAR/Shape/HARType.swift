/// The type of a value of HAR 1.2.
enum HARType: Sendable {
  case string
  case number
  case integer
  /// An integer that may be −1, for an unknown size, and not less.
  case size
  case boolean
  case object(HARShape)
  case array(of: HARShape)

  /// The name of the type in a message.
  var name: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .integer, .size: "an integer"
    case .boolean: "true or false"
    case .object: "an object"
    case .array: "an array of objects"
    }
  }
}

extension HARValue {
  /// The name of the value's type in a message.
  fileprivate var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension HARType {
  /// Converts `value` to this type, losing as little as possible, and reports what was wrong.
  ///
  /// The result has the type, whatever came: a value that cannot be converted becomes `substitute`.
  func conform(
    _ value: inout HARValue, at path: HARPath, substitute: HARValue? = nil, _ report: (HARReadWarning) -> Void
  ) {
    func say(_ kind: HARReadWarning.Kind) {
      report(HARReadWarning(path: path, kind: kind))
    }
    switch (self, value) {
    case (.string, .string), (.boolean, .bool): break
    case (.number, .number(let number)):
      guard !number.double.isFinite else { break }
      say(.impossible)
      value = substitute ?? .null
    case (.integer, .number(let number)), (.size, .number(let number)):
      let isSize = if case .size = self { true } else { false }
      let least = isSize ? -1 : HARNumber.counts.lowerBound
      let count = Int(number.text)
      if let count, count >= least, HARNumber.counts.contains(count) { return }
      let nearest = max(number.nearestInteger, least)
      say((number.double - Double(nearest)).magnitude < 1 ? .fraction : .impossible)
      value = .number(HARNumber(nearest))
    case (.string, .number(let number)):
      say(.unquoted)
      value = .string(number.text)
    case (.number, .string(let text)), (.integer, .string(let text)), (.size, .string(let text)):
      guard let number = HARNumber(text: text) else { return replace(&value, by: substitute, say) }
      say(.quoted)
      value = .number(number)
      // A fraction between quotes is one mistake, reported once.
      conform(&value, at: path) { _ in }
    case (.boolean, .string("true")), (.boolean, .string("false")):
      say(.quoted)
      value = .bool(value.string == "true")
    case (.object(let shape), .object(var object)):
      // Assigned again below; meanwhile the object has one owner and is changed in place.
      value = .null
      shape.conform(&object, at: path, report)
      value = .object(object)
    case (.array(let shape), .array(var elements)):
      value = .null
      for index in elements.indices {
        HARType.object(shape).conform(&elements[index], at: path[index], substitute: [:], report)
      }
      value = .array(elements)
    case (.array, .object(let object)):
      guard let fields = object.asFields else { return replace(&value, by: substitute, say) }
      say(.wrongType(expected: name, found: value.typeName))
      value = .array(fields)
    case (.object, .array(let pair)):
      guard let field = HARValue(pair: pair) else { return replace(&value, by: substitute, say) }
      say(.wrongType(expected: name, found: value.typeName))
      value = field
    case (.string, _), (.number, _), (.integer, _), (.size, _), (.boolean, _), (.object, _), (.array, _):
      replace(&value, by: substitute, say)
    }
  }

  private func replace(_ value: inout HARValue, by substitute: HARValue?, _ say: (HARReadWarning.Kind) -> Void) {
    say(value == .null ? .null : .wrongType(expected: name, found: value.typeName))
    value = substitute ?? .null
    // The substitute of an object still needs its members; that they are missing has been reported already.
    if case .object(let shape) = self, case .object(var object) = value {
      shape.conform(&object, at: .log) { _ in }
      value = .object(object)
    }
  }
}

extension HARShape {
  /// Gives `object` every required member, each with its type, and each name once.
  func conform(_ object: inout HARObject, at path: HARPath, _ report: (HARReadWarning) -> Void) {
    removeDuplicates(from: &object, at: path, report)
    for index in object.members.indices {
      let name = object.members[index].name
      guard let member = member(name) else { continue }
      if member.allowsNull, object.members[index].value == .null { continue }
      member.type.conform(&object.members[index].value, at: path[name], substitute: member.substitute, report)
    }
    // Values that were wrong beyond repair have become null, and count as absent.
    object.members.removeAll { existing in
      guard existing.value == .null, let member = member(existing.name) else { return false }
      return !member.allowsNull
    }
    for member in members {
      guard let substitute = member.substitute, !object.contains(member.name) else { continue }
      report(HARReadWarning(path: path[member.name], kind: .missing))
      var value = substitute
      member.type.conform(&value, at: path[member.name]) { _ in }
      object.members.append(HARObject.Member(name: member.name, value: value))
    }
  }

  private func removeDuplicates(from object: inout HARObject, at path: HARPath, _ report: (HARReadWarning) -> Void) {
    var seen: Set<String> = []
    guard !object.members.allSatisfy({ seen.insert($0.name).inserted }) else { return }
    seen.removeAll()
    var kept: [HARObject.Member] = []
    for member in object.members.reversed() {
      if seen.insert(member.name).inserted {
        kept.append(member)
      } else {
        report(HARReadWarning(path: path[member.name], kind: .duplicate))
      }
    }
    object.members = kept.reversed()
  }
}

extension HARNumber {
  /// The nearest whole number that a count may be.
  fileprivate var nearestInteger: Int {
    let nearest = double.rounded()
    let bounds = (Double(Self.counts.lowerBound), Double(Self.counts.upperBound))
    return integer.map(Self.clamped) ?? Int(min(max(nearest, bounds.0), bounds.1))
  }
}

extension HARObject {
  /// As `name` and `value` pairs, if all its members are texts: some programs write headers like this.
  fileprivate var asFields: [HARValue]? {
    guard !isEmpty else { return nil }
    var fields: [HARValue] = []
    for member in members {
      guard case .string = member.value else { return nil }
      fields.append(["name": .string(member.name), "value": member.value])
    }
    return fields
  }
}

extension HARValue {
  /// The field that an array of a name and a value means: some programs write headers like this.
  fileprivate init?(pair: [HARValue]) {
    guard pair.count == 2, case .string = pair[0], case .string = pair[1] else { return nil }
    self = ["name": pair[0], "value": pair[1]]
  }
}
